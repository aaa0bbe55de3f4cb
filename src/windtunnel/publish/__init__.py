"""The site of a results tree: pages and their data, replaced as a whole."""

from windtunnel.publish.publisher import Published, PublishRequest, publish

__all__ = ["PublishRequest", "Published", "publish"]
