"""gRPC with threads and with ``grpc.aio``, on either side."""

from benchmarks._bases import _ServerCpuTime, _Time


class GrpcUnary(_Time):
    """Make calls with one message each."""

    scenario = "grpc_unary"
    variants = (
        "threads_server_threads_client",
        "aio_server_threads_client",
        "threads_server_aio_client",
        "aio_server_aio_client",
    )
    loads = ("quick", "standard")
    version = "1"
    max_samples = 3


class GrpcUnaryServerCpuTime(_ServerCpuTime):
    """How long the server computes for a call."""

    scenario = "grpc_unary"
    variants = GrpcUnary.variants
    loads = GrpcUnary.loads
    version = "1"
    max_samples = 3


class GrpcServerStream(_Time):
    """Receive a stream of messages."""

    scenario = "grpc_server_stream"
    variants = GrpcUnary.variants
    loads = GrpcUnary.loads
    version = "1"
    max_samples = 3


class GrpcServerStreamServerCpuTime(_ServerCpuTime):
    """How long the server computes for a message that it sends."""

    scenario = "grpc_server_stream"
    variants = GrpcUnary.variants
    loads = GrpcUnary.loads
    version = "1"
    max_samples = 3


class GrpcBothStreams(_Time):
    """Send a stream of messages and receive each again."""

    scenario = "grpc_both_streams"
    variants = GrpcUnary.variants
    loads = GrpcUnary.loads
    version = "1"
    max_samples = 3


class GrpcBothStreamsServerCpuTime(_ServerCpuTime):
    """How long the server computes for a message that it sends back."""

    scenario = "grpc_both_streams"
    variants = GrpcUnary.variants
    loads = GrpcUnary.loads
    version = "1"
    max_samples = 3
