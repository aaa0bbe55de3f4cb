"""What the stand-in for GitHub's REST API answers; it checks each request against GitHub's own description."""

from base64 import encodebytes
from urllib.parse import urlencode

from aiohttp import web
from forge.description import BASE, complaints, openapi

REPO = BASE + "/repos/{owner}/{repo}"


def an_application(forge):
    openapi()  # takes seconds when it is loaded; a first request must not wait for it
    app = web.Application(middlewares=[_gate(forge)], client_max_size=2**24)
    handlers = _Handlers(forge)
    for method, path, handler in handlers.routes():
        app.router.add_route(method, path, handler)
    app.router.add_get("/blobs/{artifact}", handlers.blob)
    return app


def _gate(forge):
    @web.middleware
    async def gate(request, handler):
        if request.path.startswith("/blobs/"):
            return await handler(request)
        body = await request.read()
        forge.seen.append((request.method, request.path.removeprefix(BASE)))
        fault = next((one for one in forge.faults if one.times and one.hits(request)), None)
        if fault is not None:
            fault.times -= 1
            if fault.kind == "after":
                await handler(request)
            return await _faulty(request, fault)
        if request.path == f"{BASE}/repos/{forge.repo}" and "authorization" not in request.headers:
            forge.complaints += complaints(request, body)
            known = {"private": False, "has_pages": forge.has_pages}
            return web.json_response(known) if forge.private is False else _refused(404, "Not Found")
        if request.headers.get("authorization") != f"token {forge.token}":
            return _refused(401, "Bad credentials")
        found = complaints(request, body)
        if found:
            forge.complaints += found
            return _refused(400, "; ".join(found))
        if request.method != "GET" and not forge.writes:
            return _refused(403, "Resource not accessible by integration")
        return await handler(request)

    return gate


async def _faulty(request, fault):
    if fault.kind == "drop":
        request.transport.abort()
    if fault.kind == "cut":
        response = web.StreamResponse(headers={"content-type": "application/json", "content-length": "500"})
        await response.prepare(request)
        await response.write(b'[{"id": 1, "bo')
        request.transport.close()
        return response
    return web.Response(status=fault.status, headers=fault.headers, text=fault.body, content_type="application/json")


def _refused(status, message):
    return web.json_response({"message": message, "documentation_url": "https://docs.example"}, status=status)


class _Handlers:
    """One method for each operation; it returns the fields that Windtunnel reads."""

    def __init__(self, forge):
        self.forge = forge

    def routes(self):
        return (
            ("GET", BASE + "/user", self.user),
            ("GET", REPO, self.repository),
            ("GET", REPO + "/pages", self.pages),
            ("GET", REPO + "/contents/{path}", self.contents),
            ("GET", REPO + "/issues/{number}/comments", self.list_comments),
            ("POST", REPO + "/issues/{number}/comments", self.create_comment),
            ("PATCH", REPO + "/issues/comments/{comment}", self.update_comment),
            ("DELETE", REPO + "/issues/comments/{comment}", self.delete_comment),
            ("GET", REPO + "/issues", self.list_issues),
            ("POST", REPO + "/issues", self.create_issue),
            ("GET", REPO + "/issues/{number}", self.issue),
            ("PATCH", REPO + "/issues/{number}", self.update_issue),
            ("GET", REPO + "/issues/{number}/events", self.list_events),
            ("POST", REPO + "/check-runs", self.create_check),
            ("PATCH", REPO + "/check-runs/{check}", self.update_check),
            ("GET", REPO + "/commits/{sha}/check-runs", self.list_checks),
            ("GET", REPO + "/check-runs/{check}/annotations", self.list_annotations),
            ("GET", REPO + "/pulls", self.open_pulls),
            ("GET", REPO + "/pulls/{number}", self.pull),
            ("GET", REPO + "/actions/runs/{run}", self.run),
            ("GET", REPO + "/actions/runs/{run}/jobs", self.jobs),
            ("GET", REPO + "/actions/runs/{run}/artifacts", self.artifacts),
            ("GET", REPO + "/actions/workflows/{workflow}/runs", self.workflow_runs),
            ("GET", REPO + "/actions/artifacts/{artifact}/zip", self.artifact),
        )

    async def contents(self, request):
        """A file of the default branch (docs.github.com, REST, Get repository content)."""
        found = self.forge.files.get(request.match_info["path"])
        if found is None:
            return _refused(404, "Not Found")
        return web.json_response(
            {"type": "file", "encoding": "base64", "content": encodebytes(found.encode()).decode()}
        )

    async def user(self, request):
        if self.forge.workflow_token:
            return _refused(403, "Resource not accessible by integration")
        return web.json_response({"login": self.forge.login, "id": 1})

    async def repository(self, request):
        return web.json_response(
            {"full_name": self.forge.repo, "has_issues": self.forge.has_issues, "has_pages": self.forge.has_pages}
        )

    async def pages(self, request):
        """404 where Pages are off; needs ``pages: read`` (docs.github.com, REST, Get a GitHub Pages site)."""
        if not self.forge.pages_readable:
            return _refused(403, "Resource not accessible by integration")
        return web.json_response({"build_type": "workflow"}) if self.forge.has_pages else _refused(404, "Not Found")

    async def list_comments(self, request):
        number = int(request.match_info["number"])
        return self._page(request, [one for one in self.forge.comments if one["number"] == number])

    async def create_comment(self, request):
        body = (await request.json())["body"]
        if len(body.encode("utf-16-le")) // 2 > 65_536:
            return _refused(422, "Body is too long (maximum is 65536 characters)")
        return web.json_response(self.forge.comment(int(request.match_info["number"]), body), status=201)

    async def update_comment(self, request):
        found = _of(self.forge.comments, "id", request.match_info["comment"])
        if found is None:
            return _refused(404, "Not Found")
        found["body"] = (await request.json())["body"]
        return web.json_response(found)

    async def delete_comment(self, request):
        found = _of(self.forge.comments, "id", request.match_info["comment"])
        if found is None:
            return _refused(404, "Not Found")
        self.forge.comments.remove(found)
        return web.Response(status=204)

    async def list_issues(self, request):
        """Where issues are off, the list has pull requests alone (github.com/ingydotnet/git-hub/issues/72)."""
        if not self.forge.has_issues:
            return self._page(request, [])
        state, labels = (
            request.query.get("state", "open"),
            set(filter(None, request.query.get("labels", "").split(","))),
        )
        return self._page(
            request,
            [
                one
                for one in self.forge.issues[:: 1 if request.query.get("direction") == "asc" else -1]
                if state in {"all", one["state"]} and labels <= {label["name"] for label in one["labels"]}
            ],
        )

    async def create_issue(self, request):
        """410 where issues are off (docs.github.com, REST, Create an issue; google/github-issue-mover 148)."""
        if not self.forge.has_issues:
            return _refused(410, "Issues are disabled for this repo")
        asked = await request.json()
        made = self.forge.issue(asked["title"], asked.get("body"), asked.get("labels", ()))
        return web.json_response(made, status=201)

    async def issue(self, request):
        """410 for a deleted one, or where issues are off; 301 for a moved one (docs.github.com, REST, Get an issue)."""
        number = int(request.match_info["number"])
        if not self.forge.has_issues:
            return _refused(410, "Issues are disabled for this repo")
        if request.match_info["repo"] == "elsewhere":
            return web.json_response(self.forge.moved[number])
        if number in self.forge.deleted:
            return _refused(410, "This issue was deleted")
        if number in self.forge.moved:
            raise web.HTTPMovedPermanently(f"{self.forge.url}/repos/org/elsewhere/issues/{number}")
        found = _of(self.forge.issues, "number", number)
        return web.json_response(found) if found else _refused(404, "Not Found")

    async def update_issue(self, request):
        if not self.forge.has_issues:
            return _refused(410, "Issues are disabled for this repo")
        found = _of(self.forge.issues, "number", request.match_info["number"])
        if found is None:
            return _refused(404, "Not Found")
        asked = await request.json()
        if asked.get("state", found["state"]) != found["state"]:
            change = self.forge.close if asked["state"] == "closed" else self.forge.reopen
            change(found["number"], self.forge.login, reason=asked.get("state_reason"))
        found.update({key: value for key, value in asked.items() if key in {"title", "body"}})
        return web.json_response(found)

    async def list_events(self, request):
        """Oldest first, also of a pull request (docs.github.com, REST, List issue events)."""
        return self._page(request, self.forge.events.get(int(request.match_info["number"]), []))

    async def create_check(self, request):
        """The summary has at most 65,535 characters (docs.github.com, REST API endpoints for check runs)."""
        asked = await request.json()
        if (
            len(asked.get("output", {}).get("summary", "").encode()) > 65_535
        ):  # bytes, by measurement; the message is GitHub's
            return _refused(422, "Only 65535 characters are allowed")
        made = {"id": self.forge.number(), "conclusion": None} | asked
        self.forge.checks.append(made)
        return web.json_response(_with_details(made), status=201)

    async def update_check(self, request):
        return await _updated(_of(self.forge.checks, "id", request.match_info["check"]), request)

    async def list_checks(self, request):
        """By default only the newest of each name (docs.github.com, REST, List check runs for a Git reference)."""
        name, sha = request.query.get("check_name"), request.match_info["sha"]
        found = [_with_details(one) for one in self.forge.checks if one["head_sha"] == sha]
        found = [one for one in found if name in {None, one["name"]}]
        if request.query.get("filter", "latest") == "latest":
            found = list({one["name"]: one for one in found}.values())
        return self._page(request, found, key="check_runs")

    async def list_annotations(self, request):
        return self._page(request, self.forge.annotations.get(int(request.match_info["check"]), []))

    async def open_pulls(self, request):
        """Newest first by default; *head* is ``owner:branch`` (docs.github.com, REST, List pull requests)."""
        asked = request.query
        state, head = asked.get("state", "open"), asked.get("head")
        key = {"created": "number", "updated": "updated"}[asked.get("sort", "created")]
        found = [
            one for one in self.forge.pulls
            if state in {"all", one["state"]} and head in {None, _source(one)}
        ]  # fmt: skip
        default = "desc" if key == "number" else "asc"
        descending = asked.get("direction", default) == "desc"
        return self._page(request, sorted(found, key=lambda one: one.get(key, 0), reverse=descending))

    async def pull(self, request):
        found = _of(self.forge.pulls, "number", request.match_info["number"])
        return web.json_response(found) if found else _refused(404, "Not Found")

    async def run(self, request):
        found = self.forge.runs.get(int(request.match_info["run"]))
        return web.json_response(found) if found else _refused(404, "Not Found")

    async def jobs(self, request):
        run = int(request.match_info["run"])
        if run not in self.forge.runs:
            return _refused(404, "Not Found")
        if not self.forge.actions_readable:
            return _refused(403, "Resource not accessible by integration")
        runs_here = {"run_attempt": 1, "labels": ["ubuntu-24.04"], "runner_id": 7}
        found = [{"id": 1000 * run + number} | runs_here | job for number, job in enumerate(self.forge.jobs[run])]
        if request.query.get("filter", "latest") == "latest":
            newest = max((job["run_attempt"] for job in found), default=1)
            found = [job for job in found if job["run_attempt"] == newest]
        return self._page(request, found + self._checks_as_jobs(run), key="jobs")

    def _checks_as_jobs(self, run):
        """The check runs that a token created, which GitHub puts into the oldest run of their commit, as jobs.

        Without steps, runner and labels (game-ci/unity-test-runner 222, dorny/test-reporter 67, community 24616).
        """
        head = self.forge.runs[run]["head_sha"]
        if run != min(number for number, one in self.forge.runs.items() if one["head_sha"] == head):
            return []
        bare = {"steps": [], "runner_id": None, "runner_name": None, "labels": []}
        fields = ("id", "name", "status", "conclusion")
        return [bare | {key: one[key] for key in fields} for one in self.forge.checks if one["head_sha"] == head]

    async def workflow_runs(self, request):
        """Newest first, at most 1,000; the workflow is a number or the name of its file (docs.github.com, REST, List
        workflow runs for a workflow)."""
        if not self.forge.actions_readable:
            return _refused(403, "Resource not accessible by integration")
        asked, workflow = request.query, request.match_info["workflow"]
        since = asked.get("created", "").removeprefix(">=")
        found = [
            run
            for run in sorted(self.forge.runs.values(), key=lambda run: run["created_at"], reverse=True)
            if workflow in {str(run["workflow_id"]), run["path"].rpartition("/")[2]}
            and asked.get("event") in {None, run["event"]}
            and asked.get("branch") in {None, run["head_branch"]}
            and run["created_at"] >= since
        ]
        return self._page(request, found[:1000], key="workflow_runs", total=len(found))

    async def artifacts(self, request):
        run, name = int(request.match_info["run"]), request.query.get("name")
        self.forge.take_in(run)
        found = [one for one in self.forge.artifacts if one["run"] == run and name in {None, one["name"]}]
        return self._page(request, found, key="artifacts")

    async def artifact(self, request):
        origin = f"http://localhost:{request.url.port}"  # another origin than 127.0.0.1, as at GitHub
        raise web.HTTPFound(f"{origin}/blobs/{request.match_info['artifact']}")

    async def blob(self, request):
        if "authorization" in request.headers:
            self.forge.leaks.append(request.path)
        return web.Response(
            body=self.forge.blobs[int(request.match_info["artifact"])], content_type="application/octet-stream"
        )

    def _page(self, request, entries, *, key=None, total=None):
        size = min(int(request.query.get("per_page", "30")), self.forge.most_a_page)
        page = int(request.query.get("page", "1"))
        start, headers = (page - 1) * size, {}
        if start + size < len(entries):
            query = urlencode({**request.query, "page": page + 1})
            url = f"{self.forge.url.removesuffix(BASE)}{request.path}?{query}"
            headers["link"] = f'<{url}>; rel="next", <{url}>; rel="last"'
        shown = entries[start : start + size]
        if headers and self.forge.between_pages:
            self.forge.between_pages.pop(0)()
        return web.json_response({"total_count": total or len(entries), key: shown} if key else shown, headers=headers)


def _with_details(check):
    """GitHub overwrites ``details_url`` of a token's check run (dorny/test-reporter 67)."""
    return check | {"details_url": f"https://forge.example/runs/{check['id']}"}


def _source(pull):
    """The owner and branch of a pull request's head."""
    repo = pull["head"].get("repo")
    return f"{repo['full_name'].partition('/')[0]}:{pull['head']['ref']}" if repo else None


async def _updated(found, request):
    if found is None:
        return _refused(404, "Not Found")
    found.update(await request.json())
    return web.json_response(found)


def _of(entries, key, value):
    return next((one for one in entries if one[key] == int(value)), None)
