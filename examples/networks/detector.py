"""Heads of a single-shot detector: anchors, classes and boxes on three scales, and the detections.

autoperf capture detector.py:heads --batch 1 --cases-file detector.ndjson
"""

from mxnet.gluon import HybridBlock, nn

SIZES = ((0.2, 0.27), (0.37, 0.45), (0.54, 0.62))
RATIOS = (1, 2, 0.5)


class Detector(HybridBlock):
    """Detections of shape (batch, anchors, 6) in images of shape (batch, 3, height, width)."""

    def __init__(self, classes):
        super().__init__()
        anchors = len(SIZES[0]) + len(RATIOS) - 1
        self._classes = classes
        with self.name_scope():
            self.stem = nn.HybridSequential()
            for channels in (16, 32, 64):
                self.stem.add(*_scale(channels, 3))
            self.scales, self.classes, self.boxes = (nn.HybridSequential() for _ in range(3))
            for _ in SIZES:
                scale = nn.HybridSequential()
                scale.add(*_scale(128, 3))
                self.scales.add(scale)
                self.classes.add(nn.Conv2D(anchors * (classes + 1), 3, padding=1))
                self.boxes.add(nn.Conv2D(anchors * 4, 3, padding=1))

    def hybrid_forward(self, F, images):  # noqa: N803 - Gluon's name
        """The detections after non-maximum suppression."""
        features = self.stem(images)
        anchors, scores, boxes = [], [], []
        for number, (scale, classes, box) in enumerate(zip(self.scales, self.classes, self.boxes, strict=True)):
            features = scale(features)
            anchors.append(F.contrib.MultiBoxPrior(features, sizes=SIZES[number], ratios=RATIOS))
            scores.append(F.flatten(F.transpose(classes(features), axes=(0, 2, 3, 1))))
            boxes.append(F.flatten(F.transpose(box(features), axes=(0, 2, 3, 1))))
        together = F.concat(*scores, dim=1).reshape((0, -1, self._classes + 1))
        probabilities = F.softmax(F.transpose(together, axes=(0, 2, 1)), axis=1)
        return F.contrib.MultiBoxDetection(probabilities, F.concat(*boxes, dim=1), F.concat(*anchors, dim=1))


def _scale(channels, kernel):
    """Layers that halve the height and the width."""
    yield nn.Conv2D(channels, kernel, padding=1)
    yield nn.BatchNorm()
    yield nn.Activation("relu")
    yield nn.MaxPool2D(2)


def heads():
    """Twenty classes, on images of 256 by 256."""
    return Detector(20), {"images": "Nx3x256x256"}
