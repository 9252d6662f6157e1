#!/usr/bin/env python3
"""A verifier by a stranger: written from FORMAT.md, with nothing but Python's standard library.

usage: stranger.py RUN_FOLDER | ARCHIVE.tar.gz | UNPACKED_FOLDER

Prints every problem, one a line, and the chain's root. Exit 0 if there is none, 30 if there is one.
"""

import hashlib
import json
import os
import re
import sys
import tarfile

EXACT = 2**53 - 1
PART = re.compile(r"[A-Za-z0-9_-](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?\Z")
DIGEST = re.compile(r"[0-9a-f]{64}\Z")
ZERO = "0" * 64
INVARIANT = ("M1", "M2", "M3", "N1")


class Problems(list):
    def add(self, path, message):
        self.append(f"{path}: {message}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is there twice")
    return members


def parse(data):
    """JSON without what FORMAT.md refuses: duplicate members, NaN, integers without an exact form."""

    def integer(text):
        if abs(int(text)) > EXACT:
            raise ValueError("an integer without an exact canonical form")
        return int(text)

    def constant(text):
        raise ValueError(f"{text} is not JSON")

    return json.loads(data.decode("utf-8"), object_pairs_hook=unique, parse_int=integer, parse_constant=constant)


def canonical(value):
    """RFC 8785 for values without fractions; members are sorted by UTF-16 code units."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, float):
        raise ValueError("a fraction")
    return json.dumps(value, ensure_ascii=False)


def is_canonical(data):
    return canonical(parse(data)).encode("utf-8") == data


def safe(path):
    parts = path.split("/")
    return len(path) <= 240 and len(parts) <= 17 and all(PART.match(part) for part in parts)


def pointer(value, text):
    """RFC 6901; raises LookupError if there is no such place."""
    if text and not text.startswith("/"):
        raise LookupError(text)
    for token in text.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            if not re.match(r"(0|[1-9][0-9]*)\Z", token):
                raise LookupError(text)
            value = value[int(token)]
        elif isinstance(value, dict):
            value = value[token]
        else:
            raise LookupError(text)
    return value


class Folder:
    """A run's folder: path -> bytes, and the digest of a file as it was sealed."""

    redacted = False

    def __init__(self, root, problems):
        self.files = {}
        for folder, folders, names in os.walk(root):
            for name in folders + names:
                full = os.path.join(folder, name)
                path = os.path.relpath(full, root)
                known = path.split(os.sep)[0] in ("packages", "verdicts", "registration", "rejudged")
                if os.path.islink(full) and known:
                    problems.add(path, "is a symbolic link")
                elif name in names and not os.path.islink(full):
                    if known and os.stat(full).st_nlink != 1:
                        problems.add(path, "has several names")
                    with open(full, "rb") as file:
                        self.files[path] = file.read()
        self.manifest = {}

    def sealed(self, path):
        return sha256(self.files[path]) if path in self.files else None


class Archive(Folder):
    """A published copy: every file against the manifest, which also tells what was sealed."""

    redacted = True

    def __init__(self, root, problems):
        if os.path.isdir(root):
            super().__init__(root, problems)
        else:
            self.files = {}
            with tarfile.open(root, "r:gz") as tar:
                for n, entry in enumerate(tar):
                    if not entry.isreg() or not safe(entry.name) or entry.name in self.files:
                        problems.add(entry.name, "is no plain file of a safe name of its own")
                        continue
                    if (n == 0) != (entry.name == "redaction-manifest.json"):
                        problems.add(entry.name, "the manifest comes first and once")
                    self.files[entry.name] = tar.extractfile(entry).read()
        manifest = parse(self.files.pop("redaction-manifest.json"))
        if manifest["schema"] != "assay.redaction/1":
            problems.add("redaction-manifest.json", "has another version")
        self.tokens = [one["token"] for one in manifest["replacements"]]
        self.manifest = {one["path"]: one for one in manifest["files"]}
        for path in set(self.manifest) ^ set(self.files):
            problems.add(path, "is in one of manifest and archive only")
        for path in set(self.manifest) & set(self.files):
            one = self.manifest[path]
            if sha256(self.files[path]) != one["redacted_sha256"]:
                problems.add(path, "is not what the manifest says")
            if one["changed"] != (one["original_sha256"] != one["redacted_sha256"]):
                problems.add(path, "`changed` contradicts the digests")

    def sealed(self, path):
        return self.manifest[path]["original_sha256"] if path in self.files and path in self.manifest else None


def check_package(run, folder, problems):
    """The index at `folder`, both ways. Gives identity and index, or None."""
    name = f"{folder}/index.json"
    if name not in run.files:
        return problems.add(folder, "has no index.json")
    data = run.files[name]
    index = parse(data)
    if not is_canonical(data) or index["schema"] != "assay.package/1":
        problems.add(name, "is not canonical, or of another version")
    paths = [file["path"] for file in index["files"]]
    folded = [path.lower() for path in paths]
    if paths != sorted(paths) or len(set(folded)) != len(paths) or not all(map(safe, paths)) or "index.json" in folded:
        problems.add(name, "has paths that are unsafe, unsorted or collide")
        return None
    if set(index) != {"files", "name", "predecessors", "run", "schema"}:
        problems.add(name, "has other members")
    there = {path[len(folder) + 1 :] for path in run.files if path.startswith(folder + "/")} - {"index.json"}
    for path in there ^ set(paths):
        problems.add(f"{folder}/{path}", "is in one of index and folder only")
    for file in index["files"]:
        full = f"{folder}/{file['path']}"
        if run.sealed(full) not in (None, file["sha256"]):
            problems.add(full, "has another digest than the index says")
        if not run.redacted and full in run.files and len(run.files[full]) != file["size"]:
            problems.add(full, "has another size than the index says")
    return sha256(data), index


def check_chain(run, problems):
    """Packages in order of sealing as (name, identity, index), and the root."""
    names = sorted({path.split("/")[1] for path in run.files if path.startswith("packages/") and path.count("/") > 1})
    names = [name for name in names if not name.startswith(".draft-")]
    found = [(name, check_package(run, f"packages/{name}", problems)) for name in names]
    chain = [(name, *package) for name, package in found if package]
    chain.sort(key=lambda link: (len(link[2]["predecessors"]), link[0]))
    if not chain:
        problems.add("packages", "holds no package")
    before = []
    for name, identity, index in chain:
        if index["name"] != name or index["run"] != chain[0][2]["run"]:
            problems.add(f"packages/{name}", "is of another name or run")
        if index["predecessors"] != before:
            problems.add(f"packages/{name}", "does not name exactly the packages before it")
        before.append(identity)
    return chain, sha256("".join(identity + "\n" for identity in before).encode())


def check_journal(run, problems):
    """The events, and the hash of every line as it was written."""
    if "journal.jsonl" not in run.files:
        problems.add("journal.jsonl", "is not there")
        return [], []
    whole, _, torn = run.files["journal.jsonl"].rpartition(b"\n")
    lines = whole.split(b"\n") if whole else []
    head = parse(run.files["journal.head"]) if "journal.head" in run.files else {"seq": 0, "hash": ZERO}
    entries, hashes = [], []
    for n, line in enumerate(lines, 1):
        entry = parse(line)
        if entry["seq"] != n or not is_canonical(line) or not DIGEST.match(entry["prev"]):
            problems.add("journal.jsonl", f"line {n} has another number or form")
        if n == 1 and entry["prev"] != ZERO:
            problems.add("journal.jsonl", "the first line names a line before it")
        if n > 1:
            hashes.append(entry["prev"])
        entries.append(entry)
    if head["seq"] == len(lines):
        hashes += [head["hash"]] if lines else []
    elif head["seq"] + 1 == len(lines) and head["hash"] == (hashes[-1] if hashes else ZERO):
        hashes.append(sha256(lines[-1]))
    else:
        problems.add("journal.head", "does not name the last line")
    for n, (line, written) in enumerate(zip(lines, hashes), 1):
        redacted = run.redacted and any(token.encode() in line for token in run.tokens)
        if sha256(line) != written and not redacted:
            problems.add("journal.jsonl", f"line {n} is not the line that was written")
    if torn and run.redacted:
        problems.add("journal.jsonl", "ends within a line")
    return [entry["event"] for entry in entries], hashes


def cite(run, by, prefix, one, problems):
    path = prefix + one["artifact"]
    if not safe(path) or run.sealed(path) != one["sha256"]:
        return problems.add(by, f"cites {path}, which has another digest or is not there")
    try:
        pointer(json.loads(run.files[path]), one["pointer"])
    except (LookupError, ValueError):
        problems.add(by, f"cites {path}#{one['pointer']}, and there is no such place")


def join(verdicts):
    verdicts = list(verdicts)
    return next((word for word in ("fail", "indeterminate") if word in verdicts), "pass" if verdicts else "indeterminate")


def check_verdict(run, path, chain, problems):
    verdict = parse(run.files[path])
    name = os.path.basename(path)[: -len(".json")]
    if verdict["schema"] != "assay.verdict/1" or verdict["stage"] != name:
        problems.add(path, "is of another version or stage")
    if (name, verdict["package"]) not in [(link[0], link[1]) for link in chain]:
        problems.add(path, "judges a package that is not there under its name")
    for trial in verdict["trials"]:
        expected = join(rule["verdict"] for rule in trial["rules"] if rule["rule"] in INVARIANT)
        if not trial["valid"] or trial["missing"]:
            expected = "indeterminate"
        if trial["verdict"] != expected:
            problems.add(path, f"the verdict on {trial['trial']} does not follow from its rules")
        if trial["correct_completion"] != (expected == "pass" and trial["processing"] == "SUCCEEDED"):
            problems.add(path, f"the completion of {trial['trial']} does not follow")
        for rule in trial["rules"]:
            for one in rule["decisive"]:
                cite(run, path, f"packages/{name}/", one, problems)
    lacking = ["indeterminate"] if verdict.get("missing") else []
    if verdict["verdict"] != join([trial["verdict"] for trial in verdict["trials"]] + lacking):
        problems.add(path, "its verdict is not the join of those on its trials")
    return verdict


def check_results(run, verdict, stage, deviations, problems):
    results = parse_loose(run.files["results.json"])
    for member in ("run", "study", "grade", "plan_digest"):
        if stage and results[member] != stage[member]:
            problems.add("results.json", f"{member} is not that of the stages")
    if results["deviations"] != deviations:
        problems.add("results.json", "deviations are not those of the journal")
    for one in results.get("cites", []):
        cite(run, "results.json", "", one, problems)
    for member, file, place in (("teardown", "teardown", ""), ("audit", "audit", ""), ("stopped", "outcome", "/stopped")):
        data = run.files.get(f"packages/closing/{file}.json")
        sealed = pointer(json.loads(data), place) if data else None
        told = results.get(member)
        if told != sealed if data else told not in (None, {}):
            problems.add("results.json", f"{member} is not what closing has sealed")
    trials = {trial["trial"]: trial for trial in verdict["trials"]} if verdict else {}
    if trials and sorted(cell["id"] for cell in results["cells"]) != sorted(trials):
        problems.add("results.json", "has other trials than the verdict")
    repeated = "correct_completion invalid_reasons missing processing rules transactions valid verdict".split()
    for cell in results["cells"]:
        trial = trials.get(cell["id"])
        if trial is None and cell["verdict"] != "indeterminate":
            problems.add("results.json", f"{cell['id']} has a verdict that no file holds")
        for member in repeated if trial else []:
            if cell[member] != trial[member]:
                problems.add("results.json", f"{cell['id']}: {member} is not the verdict's")
        for rule in cell["rules"]:
            for one in rule["decisive"]:
                cite(run, "results.json", "packages/canonical/", one, problems)
        for one in cell["cites"]:
            cite(run, "results.json", "", one, problems)


def parse_loose(data):
    return json.loads(data, object_pairs_hook=unique)


def check_records(run, chain, events, hashes, problems):
    """Stages, anchors, registration and journal against each other; gives the first stage."""
    stages = {}
    for name, _, _ in chain:
        data = run.files.get(f"packages/{name}/stage.json")
        stage = parse(data) if data else {}
        if stage.get("schema") == "assay.stage/1":
            stages[name] = stage
            if stage["stage"] != name:
                problems.add(f"packages/{name}/stage.json", "is of another stage")
    first = next(iter(stages.values()), None)
    for name, stage in stages.items():
        if any(stage[member] != first[member] for member in ("run", "study", "grade", "plan_digest", "origin")):
            problems.add(f"packages/{name}/stage.json", "is of another run, study, grade, plan or target")
    if "packages/closing/anchors.json" in run.files:
        anchors = parse(run.files["packages/closing/anchors.json"])
        for one in anchors["files"]:
            if run.sealed(one["path"]) != one["sha256"]:
                problems.add(one["path"], "is not what closing has sealed")
        at = anchors["journal"]["seq"]
        if hashes[at - 1 : at] != [anchors["journal"]["hash"]]:
            problems.add("journal.jsonl", f"line {at} is not the one that closing has sealed")
        listed = {one["path"] for one in anchors["files"]}
        for path in run.files:
            if path.startswith("verdicts/") and path.endswith(".json") and path not in listed:
                problems.add(path, "is not among the verdicts that closing has sealed")
    index = next((index for name, _, index in chain if name == "preflight"), None)
    sealed = {file["path"]: file["sha256"] for file in index["files"]} if index else {}
    adopted = "registration/adopted.json"
    if index and sealed.get("registration.json") != run.sealed(adopted):
        problems.add(adopted, "is not what the first package has sealed")
    if adopted in run.files:
        package = check_package(run, "registration/registration", problems)
        if not package or package[0] != parse(run.files[adopted])["identity"]:
            problems.add("registration/registration", "is another registration")
    if "plan.json" in sealed and run.sealed("plan.json") not in (None, sealed["plan.json"]):
        problems.add("plan.json", "is not what was sealed")
    started = [event for event in events if isinstance(event, dict) and event.get("type") == "run_started"]
    if started:
        check_events(run, chain, events, started[0], first, problems)
    return first


def check_events(run, chain, events, started, stage, problems):
    if stage and any(started[member] != stage[member] for member in ("run", "plan_digest", "grade")):
        problems.add("journal.jsonl", "tells another run, plan or grade than the stages")
    of = lambda kind: [event for event in events if event["type"] == kind]
    journaled = {(event["package"], event["identity"]) for event in of("sealed")}
    there = {(name, identity) for name, identity, _ in chain}
    for name, _ in journaled - there:
        problems.add("journal.jsonl", f"says that {name} was sealed otherwise")
    if of("run_ended"):
        for name, _ in there - journaled:
            problems.add(f"packages/{name}", "is unknown to the journal")
    for event in of("judged"):
        path = f"verdicts/{event['package']}.json"
        verdict = parse(run.files[path]) if path in run.files else {}
        if (verdict.get("package"), verdict.get("verdict")) != (event["identity"], event["verdict"]):
            problems.add(path, "is not the verdict that the journal tells")


def verify(path):
    problems = Problems()
    published = os.path.isfile(path) or os.path.exists(os.path.join(path, "redaction-manifest.json"))
    run = (Archive if published else Folder)(path, problems)
    chain, root = check_chain(run, problems)
    events, hashes = check_journal(run, problems)
    stage = check_records(run, chain, events, hashes, problems)
    verdicts = {}
    for name in sorted(run.files):
        if re.match(r"(verdicts|rejudged/[^/]+)/[^/]+\.json\Z", name):
            verdicts[name] = check_verdict(run, name, chain, problems)
    if "results.json" in run.files:
        told = [event["reason"] for event in events if isinstance(event, dict) and event.get("type") == "deviation"]
        check_results(run, verdicts.get("verdicts/canonical.json"), stage, told, problems)
    return problems, root


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        problems, root = verify(sys.argv[1])
    except (ValueError, KeyError, TypeError, AttributeError, tarfile.TarError, EOFError) as error:
        problems, root = [f"not readable as FORMAT.md says: {error!r}"], ""
    print(*problems, f"root {root}", sep="\n")
    sys.exit(30 if problems else 0)


if __name__ == "__main__":
    main()
