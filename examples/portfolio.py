"""From the feed of a night to portfolio weights: Black-Litterman, in PyPortfolioOpt and in skfolio.

    python examples/portfolio.py [--out runs] [--run last] [--library pypfopt|skfolio] [--cap .4] [--cash .05]

It knows the pipeline only by its command line and its feed: copy it and change what you need. It
refuses what must not be traded on, and says why. Needs pip install '.[portfolio]'.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

PIPELINE = Path(__file__).resolve().parents[1] / "run_pipeline.py"
YEAR = 252
"""Sessions in a year."""
LEAST = 60
"""Daily returns that a covariance is taken from, at least."""
STILL = 1e-9
"""Daily volatility below which a price never moved, and no covariance can be taken."""

RATED = {"contested", "degraded", "gated", "debated"}
NOT_RATED = {"unpaid", "failed", "refused", "no_data", "stale"}


def refused(feed: dict, wanted: list[str], session: str) -> str | None:
    """Why a feed must not be used: `wanted` are the tickers it should have, `session` the night it should be of."""
    if feed["schema_version"] != "1":
        return f"schema_version {feed['schema_version']} is unknown (known: 1)"
    if feed["content_hash"] != content_hash(feed):
        return "its content_hash does not fit: something in it was changed"
    rows = feed["rows"]
    unknown = sorted({row["status"] for row in rows} - RATED - NOT_RATED)
    if unknown:
        return f"status {', '.join(unknown)} is unknown"
    if not feed["valid"] or not any(row["status"] in RATED for row in rows):
        return "the feed is invalid: no ticker is rated"
    if feed["as_of"] != session:
        return f"the feed is of {feed['as_of']}; this portfolio is for {session}"
    foreign = sorted(
        {row["ticker"] for row in rows if (row["as_of"], row["run_id"]) != (feed["as_of"], feed["run_id"])}
    )
    if foreign:
        return f"rows of another night: {', '.join(foreign)}"
    asked, got = Counter(wanted), Counter(row["ticker"] for row in rows)  # sets of names, never their number
    troubles = {
        "missing": set(asked) - set(got),
        "not asked for": set(got) - set(asked),
        "twice": {name for name, times in got.items() if times > 1},
    }
    found = [f"{what}: {', '.join(sorted(names))}" for what, names in troubles.items() if names]
    return "; ".join(found) or None


def content_hash(feed: dict) -> str:
    """The hash that a feed with this header and these rows has."""
    head = {name: value for name, value in feed.items() if name not in ("rows", "content_hash")}
    text = json.dumps([head, feed["rows"]], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def pypfopt_weights(document: dict, returns: pd.DataFrame, cap: float) -> tuple[pd.Series, pd.Series]:
    """Expected returns a year after the views, and weights that sum to 1."""
    from pypfopt import BlackLittermanModel, EfficientFrontier

    covariance = returns.cov() * YEAR
    aversion = risk_aversion(document, returns)
    prior = aversion * covariance.mean(axis=1)  # covariance with the market, here all names alike
    mean, risk = prior, covariance
    if document["absolute_views"]:
        model = BlackLittermanModel(
            covariance,
            pi=prior,
            absolute_views=document["absolute_views"],
            omega="idzorek",
            view_confidences=document["view_confidences"],
        )
        mean, risk = model.bl_returns(), model.bl_cov()
    frontier = EfficientFrontier(mean, risk, weight_bounds=(0, cap))
    frontier.max_quadratic_utility(risk_aversion=aversion)
    return mean, pd.Series(frontier.clean_weights())


def skfolio_weights(document: dict, returns: pd.DataFrame, cap: float) -> tuple[pd.Series, pd.Series]:
    """The same with skfolio, which counts in sessions: its means are turned into those of a year."""
    from skfolio.moments import EquilibriumMu
    from skfolio.optimization import MeanRisk, ObjectiveFunction
    from skfolio.prior import BlackLitterman, EmpiricalPrior

    aversion = risk_aversion(document, returns)
    prior = EmpiricalPrior(mu_estimator=EquilibriumMu(risk_aversion=aversion))
    views, trust = document["views"], document["view_confidences"]
    model = BlackLitterman(views, prior_estimator=prior, view_confidences=trust) if views else prior
    optimiser = MeanRisk(
        objective_function=ObjectiveFunction.MAXIMIZE_UTILITY,
        risk_aversion=aversion / 2,  # skfolio has mean - a x variance, PyPortfolioOpt mean - a/2 x variance
        prior_estimator=model,
        max_weights=cap,
    ).fit(returns)
    mean = optimiser.prior_estimator_.return_distribution_.mu * YEAR
    return pd.Series(mean, returns.columns), pd.Series(optimiser.weights_, returns.columns).round(5)


def risk_aversion(document: dict, returns: pd.DataFrame) -> float:
    """The aversion at which all names alike are expected to return what the benchmark is: the prior of the views."""
    variance = float(returns.mean(axis=1).var() * YEAR)
    return document["benchmark_return"] / variance


LIBRARIES = {"pypfopt": pypfopt_weights, "skfolio": skfolio_weights}


def leave_out(document: dict, names: list[str]) -> None:
    """Make names no part of this: as if the night had not rated them."""
    unknown = [name for name in names if name not in document["names"]]
    if unknown:
        sys.exit(f"refused: --without {', '.join(unknown)}: not in the feed")
    for name in names:
        document["names"][name]["state"] = "not_rated"
    if "absolute_views" in document:
        viewed = list(document["absolute_views"])
        document["absolute_views"] = {one: document["absolute_views"][one] for one in viewed if one not in names}
    else:
        viewed = [view.split(" == ")[0] for view in document["views"]]
        document["views"] = [view for view in document["views"] if view.split(" == ")[0] not in names]
    trust = zip(viewed, document["view_confidences"], strict=True)
    document["view_confidences"] = [one for name, one in trust if name not in names]


def kept(document: dict, current: dict[str, float]) -> dict[str, float]:
    """Weights that must not be touched: of names in the book that this night did not rate."""
    foreign = [name for name in current if name not in document["names"]]
    if foreign:
        sys.exit(f"refused: --current {', '.join(foreign)}: not in the feed")
    unrated = [name for name, told in document["names"].items() if told["state"] == "not_rated"]
    weights = {name: current.get(name) for name in unrated if document["names"][name]["held"] or name in current}
    unknown = [name for name, weight in weights.items() if weight is None]
    if unknown:
        sys.exit(
            f"refused: {', '.join(unknown)}: held and not rated, so the weight stays; say --current {unknown[0]}=W"
        )
    return weights


def daily_returns(prices: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    """Returns of the names on the days that all of them traded."""
    absent = [name for name in names if name not in prices]
    if absent:
        sys.exit(f"refused: no prices of {', '.join(absent)}")
    returns = prices[names].dropna().pct_change().dropna()
    if len(returns) < LEAST:
        own = {name: max(int(prices[name].count()) - 1, 0) for name in names}
        short = [name for name in names if own[name] < LEAST]
        told = ", ".join(f"{name} has {own[name]}" for name in short) or f"only {len(returns)} in common"
        remedy = f"; leave out with --without {','.join(short)}" if short else "; leave names out with --without"
        sys.exit(f"refused: {LEAST} daily returns are needed: {told}{remedy}")
    if still := [name for name in names if float(returns[name].std()) < STILL]:
        sys.exit(f"refused: the price of {', '.join(still)} never moved; leave out with --without {','.join(still)}")
    return returns


def allocate(document: dict, prices: pd.DataFrame, library: str, fixed: dict[str, float], cap: float, cash: float):
    """Means a year and weights of one library; names that are not rated keep `fixed` or have none."""
    names = [name for name, told in document["names"].items() if told["state"] != "not_rated"]
    room = 1 - cash - sum(fixed.values())
    if room <= 0:
        sys.exit(f"refused: cash {cash:g} and kept weights {sum(fixed.values()):g} leave nothing to invest")
    if room > cap * len(names) + 1e-9:
        sys.exit(f"refused: {len(names)} names of at most {cap:g} cannot take {room:.4g} of the portfolio")
    means, weights = LIBRARIES[library](document, daily_returns(prices, names), min(cap / room, 1.0))
    return means, {**(weights * room).to_dict(), **fixed, "cash": 1 - sum(fixed.values()) - float(weights.sum()) * room}


def table(feed: dict, document: dict, means: dict[str, pd.Series], weights: dict[str, dict[str, float]]) -> str:
    """One line a name: its state, its view and trust, the mean after the views, and its weight by library."""
    rows = {row["ticker"]: row for row in feed["rows"]}
    wide = max(map(len, [*rows, "ticker"]))
    mean = next(iter(means.values()))
    lines = [f"{'ticker':{wide}}  {'state':9}  view/yr  trust  mean/yr" + "".join(f"  {one:>8}" for one in weights)]
    for name, told in document["names"].items():
        row, has = rows[name], told["state"] == "view"
        view = f"{row['view_excess_return'] * YEAR / row['horizon_sessions']:7.1%}" if has else f"{'-':>7}"
        trust = f"{row['view_confidence']:5.2f}" if has else f"{'-':>5}"
        after = f"{mean[name]:7.1%}" if name in mean else f"{'-':>7}"
        shares = "".join(f"  {max(found.get(name, 0), 0):8.1%}" for found in weights.values())
        lines.append(f"{name:{wide}}  {told['state']:9}  {view}  {trust}  {after}{shares}")
    lines.append(f"{'cash':{wide + 36}}" + "".join(f"  {found['cash']:8.1%}" for found in weights.values()))
    return "\n".join(lines)


def plot(weights: dict[str, dict[str, float]], title: str, to: Path) -> None:
    """Bars of the weights, one colour a library. Writes a PNG."""
    from matplotlib.figure import Figure

    frame = pd.DataFrame(weights).fillna(0)
    figure = Figure(figsize=(8, 1.2 + 0.45 * len(frame)), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / len(weights)
    for at, (library, colour) in enumerate(zip(frame, ("#2563a8", "#d9822b"), strict=False)):
        bars = axes.barh(np.arange(len(frame)) + at * height, 100 * frame[library], height, label=library, color=colour)
        axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_yticks(np.arange(len(frame)) + 0.4 - height / 2, frame.index)
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set(xlabel="weight, % of the portfolio", title=title)
    figure.legend(loc="outside lower right", ncols=len(weights), frameon=False)
    draft = to.with_name(f".{to.name}.draft")
    figure.savefig(draft, dpi=120, format="png")
    draft.replace(to)  # a link that lies there is replaced, never followed


def pipeline(*words: str) -> str:
    """What one command of the pipeline prints."""
    done = subprocess.run([sys.executable, str(PIPELINE), *words], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    return done.stdout


def tickers_of(file: Path) -> list[str]:
    """The tickers of a run by its record; those over its cap have no row, and that is said."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        asked, left_out = list(record["tickers"]), record.get("left_out", [])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.exit(f"refused: {file}: {type(error).__name__}, so its tickers are not known; name them with --tickers")
    if left_out:
        print(f"note: left out by the cap of the run: {', '.join(left_out)}", file=sys.stderr)
    return asked


def listed(text: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in text.split(",")]


def weight(text: str) -> tuple[str, float]:
    """NAME=W of the command line."""
    name, _, share = text.rpartition("=")
    return name, float(share)


def wrong_words(said: argparse.Namespace) -> str | None:
    """What of the command line cannot be, found before any work."""
    shares = [(f"--current {name}", share) for name, share in said.current]
    for option, share in [("--cap", said.cap), ("--cash", said.cash), *shares]:
        if not 0 <= share <= 1 or (option == "--cap" and share == 0):
            return (
                f"{option} {share:g}: must be a share of the portfolio, {'above 0' if option == '--cap' else '0'} to 1"
            )
    lists = {
        "--current": [name for name, _ in said.current],
        "--tickers": listed(said.tickers or ""),
        "--without": listed(said.without or ""),
    }
    for option, given in lists.items():
        twice = sorted(name for name, times in Counter(given).items() if times > 1 and name)
        if twice:
            return f"{option} {', '.join(twice)}: named twice"
    if said.session:
        try:
            valid = date.fromisoformat(said.session).isoformat() == said.session
        except ValueError:
            valid = False
        if not valid:
            return f"--for {said.session}: must be a date, YYYY-MM-DD"
    try:
        positive = float(said.benchmark_return) > 0
    except ValueError:
        positive = False
    if not positive:
        return (
            f"--benchmark-return {said.benchmark_return}: must be above 0, 0.08 is 8 % a year; else no risk is wanted"
        )
    if said.plot and said.plot.suffix != ".png":
        return f"--plot {said.plot}: must end in .png"
    if said.plot and (said.plot.is_dir() or not said.plot.parent.is_dir()):
        return f"--plot {said.plot}: {'is a folder' if said.plot.is_dir() else 'its folder is not there'}"
    return None


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Portfolio weights from the feed of a night.")
    parser.add_argument("--out", default="runs", help="folder of the store and the runs")
    parser.add_argument("--run", default="last", help="a run id, or last")
    parser.add_argument("--library", choices=LIBRARIES, help="one of them; both where none is named")
    parser.add_argument("--cap", type=float, default=0.4, help="most of the portfolio in one name")
    parser.add_argument("--cash", type=float, default=0.05, help="share that stays in cash")
    parser.add_argument("--benchmark-return", default="0.08", help="expected return of the benchmark, a year")
    parser.add_argument("--for", dest="session", help="night it must be of, YYYY-MM-DD; else that of its newest price")
    parser.add_argument("--tickers", help="names it must have, with commas; else those of the run")
    parser.add_argument("--without", help="names to leave out, with commas, as if they were not rated")
    parser.add_argument("--current", type=weight, action="append", default=[], metavar="NAME=W", help="weight now")
    parser.add_argument("--plot", type=Path, help="PNG to write; else portfolio.png in the run's folder")
    return parser.parse_args()


def main() -> None:
    """Read, refuse, optimise, print, plot."""
    said = arguments()
    if wrong := wrong_words(said):
        sys.exit(f"refused: {wrong}")
    without = listed(said.without) if said.without else []
    place = ("--out", said.out)
    feed = json.loads(pipeline("feed", said.run, "--format", "json", *place))
    folder = Path(said.out) / feed["run_id"]
    prices = pd.read_csv(io.StringIO(pipeline("feed", feed["run_id"], "--format", "prices", *place)), index_col="day")
    asked = listed(said.tickers) if said.tickers else tickers_of(folder / "run.json")
    why = refused(feed, asked, said.session or prices.index[-1])
    if why:
        sys.exit(f"refused: run {feed['run_id']}: {why}")
    means, weights = {}, {}
    for library in [said.library] if said.library else LIBRARIES:
        told = ("--format", library, "--benchmark-return", said.benchmark_return, *place)
        document = json.loads(pipeline("feed", feed["run_id"], *told))
        leave_out(document, without)
        fixed = kept(document, dict(said.current))
        means[library], weights[library] = allocate(document, prices, library, fixed, said.cap, said.cash)
    if rated := [name for name, _ in said.current if name not in fixed]:
        print(f"note: --current {', '.join(rated)}: rated this night, so the weight is found anew", file=sys.stderr)
    print(f"run {feed['run_id']} | engine: {feed['engine']}")
    print(f"benchmark {document['benchmark']} assumed to return {document['benchmark_return']:.1%} a year; ", end="")
    print(f"views to {document['resolves_on']}\n\n{table(feed, document, means, weights)}")
    to = said.plot or folder / "portfolio.png"
    try:
        plot(weights, f"Weights after the night of {feed['as_of']}", to)
    except OSError as error:
        sys.exit(f"{to}: cannot be written ({error.strerror})")
    print(f"\n{to}")


if __name__ == "__main__":
    try:
        main()
    except ImportError as absent:
        sys.exit(f"{absent.name} is not installed: pip install '.[portfolio]' in the folder of the program")
