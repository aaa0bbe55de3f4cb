"""Flask's development server, a thread for each request, without its access log; run as a process of its own."""

import logging

from werkzeug.serving import make_server

from windtunnel_scenarios.listening import listening
from windtunnel_scenarios.web.flask_app import application

if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with listening() as opened:
        port = opened.getsockname()[1]
        make_server("127.0.0.1", port, application(), threaded=True, fd=opened.fileno()).serve_forever()
