"""A server of files on this machine that knows ranges, and breaks off when it is told to."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer:
    """Serves ``contents`` by path; ``break_after[path]`` lists how many bytes each of the next answers has."""

    def __init__(self):
        self.contents, self.break_after, self.asked = {}, {}, []
        self.knows_ranges = True
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def address(self, path):
        return f"http://127.0.0.1:{self._server.server_port}/{path}"

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self):
        files = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path, wanted = self.path.lstrip("/"), self.headers.get("Range")
                files.asked.append((path, wanted))
                if path not in files.contents:
                    self.send_error(404)
                    return
                whole = files.contents[path]
                start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and files.knows_ranges else 0
                if start and start >= len(whole):
                    self.send_error(416)
                    return
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(whole) - 1}/{len(whole)}")
                self.send_header("Content-Length", str(len(whole) - start))
                self.end_headers()
                breaks = files.break_after.get(path)
                self.wfile.write(whole[start:][: breaks.pop(0) if breaks else None])

            def log_message(self, *_):
                pass

        return Handler
