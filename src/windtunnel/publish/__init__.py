"""The site of a results tree: our overview page and asv's own pages, replaced as a whole."""

from windtunnel.publish.publisher import Published, PublishRequest, publish

__all__ = ["PublishRequest", "Published", "publish"]
