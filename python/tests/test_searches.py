"""Studies within ranges: designs, thresholds, Optuna."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import netloom

PAIR = netloom.Scenario(
    name="pair",
    fabric=netloom.fabric.SingleSwitch(hosts=2, host_rate="100Gbps"),
    jobs=[
        netloom.Job(
            name="pair",
            steps=2,
            phases=[netloom.phase.Compute("80us"), netloom.collective.Permutation(size="1000000B")],
        )
    ],
)
RATE = "fabric.single_switch.host_rate"


def test_a_design_has_values_within_ranges(tmp_path: Path) -> None:
    vary: dict[str, list[Any] | str] = {"jobs.0.steps": [1, 2], RATE: "50Gbps..400Gbps"}
    study = netloom.sweep(PAIR, tmp_path / "sweep", vary=vary, sample=4, keep="summary", progress=False)
    assert study.points.height == 8
    assert study.points[RATE].n_unique() == 4
    with pytest.raises(netloom.InvalidInput, match="a range needs --sample"):
        netloom.sweep(PAIR, tmp_path / "other", vary=vary, progress=False)
    with pytest.raises(netloom.InvalidInput, match=r"invalid value .cube. for `design`"):
        netloom.sweep(PAIR, tmp_path / "other", vary=vary, sample=4, design="cube", progress=False)


def test_a_threshold_is_found(tmp_path: Path) -> None:
    study = netloom.sweep(PAIR, tmp_path / "sweep", vary={RATE: "400Gbps..50Gbps"}, bisect=0.1, progress=False)
    (found,) = study.thresholds
    assert found["outcome"] == "found"
    assert 150 < float(found["estimate"].removesuffix("Gbps")) < 300
    assert (found["unit"], found["estimate_number"]) == ("bit/s", 1e9 * float(found["estimate"].removesuffix("Gbps")))
    assert found["interval_numbers"][0] > found["estimate_number"] > found["interval_numbers"][1]
    opened = netloom.open(tmp_path / "sweep")
    assert isinstance(opened, netloom.Study)
    assert opened.thresholds == study.thresholds
    assert [tried["relative"] for tried in found["tried"]] == sorted(tried["relative"] for tried in found["tried"])


def test_optuna_finds_the_best_values_and_resumes(tmp_path: Path) -> None:
    space: dict[str, list[Any] | str] = {RATE: "50Gbps..400Gbps", "jobs.0.phases.0.compute": ["10us", "80us"]}
    found = netloom.optimize(PAIR, tmp_path / "search", space=space, trials=24, progress=False)
    assert found.best["jobs.0.phases.0.compute"] == "10us"
    assert float(found.best[RATE].removesuffix("Gbps")) > 300
    assert len(found.trials.trials) == 24
    assert found.value == min(trial.value for trial in found.trials.trials if trial.value is not None)
    assert found.study.points["step_mean_s"].min() == pytest.approx(found.value)
    again = netloom.optimize(PAIR, tmp_path / "search", space=space, trials=24, progress=False)
    assert again.study.results is not None
    assert again.study.results["made"] == 0
    assert (again.best, again.value) == (found.best, found.value)


def test_an_objective_may_be_a_function_and_fail(tmp_path: Path) -> None:
    best = netloom.optimize(
        PAIR,
        space={RATE: "50Gbps..400Gbps log"},
        objective=lambda summary: summary["links"]["utilization"],
        direction="maximize",
        trials=8,
        progress=False,
    )
    assert float(best.best[RATE].removesuffix("Gbps")) < 200
    with pytest.raises(netloom.StoppedEarly, match="no figure"):
        netloom.optimize(
            PAIR, tmp_path / "search", space={RATE: "50Gbps..400Gbps"}, objective=no_figure, progress=False
        )
    with pytest.raises(netloom.InvalidInput, match="invalid value 'speed' for `objective`"):
        netloom.optimize(PAIR, space={RATE: "50Gbps..400Gbps"}, objective="speed", progress=False)
    with pytest.raises(netloom.InvalidInput, match="expected a range"):
        netloom.optimize(PAIR, space={RATE: "fast"}, progress=False)


def no_figure(_: object) -> float:
    raise ValueError("no figure")
