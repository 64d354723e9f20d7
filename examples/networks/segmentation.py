"""A U-Net: a class for each pixel, from features of three sizes that are joined on the way back.

autoperf capture segmentation.py:unet --batch 1 --train --cases-file segmentation.ndjson
"""

from mxnet.gluon import HybridBlock, nn


class UNet(HybridBlock):
    """Scores of shape (batch, classes, height, width) of images of shape (batch, 3, height, width)."""

    def __init__(self, classes, channels):
        super().__init__()
        with self.name_scope():
            self.pool = nn.MaxPool2D(2)
            self.down, self.up, self.joined = (nn.HybridSequential() for _ in range(3))
            for count in channels:
                self.down.add(_convolutions(count))
            for count in reversed(channels[:-1]):
                self.up.add(nn.Conv2DTranspose(count, 2, strides=2))
                self.joined.add(_convolutions(count))
            self.scores = nn.Conv2D(classes, 1)

    def hybrid_forward(self, F, images):  # noqa: N803 - Gluon's name
        """The scores of each class."""
        features, levels = images, []
        for down in self.down:
            features = down(self.pool(features) if levels else features)
            levels.append(features)
        for up, joined, level in zip(self.up, self.joined, reversed(levels[:-1]), strict=True):
            features = joined(F.concat(up(features), level, dim=1))
        return self.scores(features)


def _convolutions(channels):
    """Two convolutions of the same size."""
    layers = nn.HybridSequential()
    for _ in range(2):
        layers.add(nn.Conv2D(channels, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"))
    return layers


def unet():
    """Twenty-one classes, on images of 128 by 128."""
    return UNet(21, (16, 32, 64)), {"images": "Nx3x128x128"}
