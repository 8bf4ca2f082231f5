"""Several runs: sweeps, comparisons, figures, reports."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import polars as pl
import pytest

import netloom

matplotlib.use("agg")

TRAINING = netloom.Scenario(
    name="training",
    fabric=netloom.fabric.LeafSpine(leaves=2, spines=2, hosts_per_leaf=4),
    jobs=[netloom.Job(name="training", steps=8, phases=[netloom.collective.RingAllReduce(size="256KiB")])],
    background=netloom.background.Poisson(load=0.1, end="1ms"),
)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> netloom.Study:
    folder = tmp_path_factory.mktemp("sweep") / "policies"
    return netloom.sweep(TRAINING, folder, vary={"balance": ["ecmp", "spray"]}, seeds=2, progress=False)


def test_a_sweep_has_a_run_for_each_point(study: netloom.Study) -> None:
    assert len(study) == 4
    assert study.points["status"].to_list() == ["complete"] * 4
    assert study.points["seed"].to_list() == [1, 2, 1, 2]
    assert study.results is not None
    assert [variant["name"] for variant in study.results["variants"]] == ["balance=ecmp", "balance=spray"]
    assert study[study.points["run"][0]].digest == study.points["digest"][0]
    assert "4 runs" in repr(study)
    with pytest.raises(KeyError, match="there is no run"):
        _ = study["balance=none"]


def test_a_sweep_opens_without_running_and_resumes(study: netloom.Study) -> None:
    assert study.folder is not None
    opened = netloom.open(study.folder)
    assert isinstance(opened, netloom.Study)
    assert opened.points.drop("folder").equals(study.points.drop("folder"))
    again = netloom.sweep(TRAINING, study.folder, vary={"balance": ["ecmp", "spray"]}, seeds=2, progress=False)
    assert again.results is not None
    assert (again.results["made"], again.results["kept"]) == (0, 4)


def test_tables_of_a_study_have_the_rows_of_all_runs(study: netloom.Study) -> None:
    steps = study.steps
    assert steps.height == 4 * 8
    assert steps["run"].n_unique() == 4
    by_policy = steps.group_by("balance").agg(pl.col("duration_us").mean())
    assert set(by_policy["balance"]) == {"ecmp", "spray"}


def test_a_comparison_says_which_variant_is_better(study: netloom.Study) -> None:
    found = study.compare()
    assert "ecmp" in str(found)
    assert found.frame["step_mean_s"].len() == 4
    runs = [study[0], study[2]]
    assert netloom.compare(*runs).frame.height == 2
    with pytest.raises(netloom.InvalidInput, match="none"):
        study.compare(baseline="none")


FIGURES = ["step_time", "step_time_cdf", "fct_cdf", "slowdown", "throughput", "queues_over_time", "links"]


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_has_units_on_both_axes_and_the_data_of_the_command(study: netloom.Study, figure: str) -> None:
    axes = getattr(study.plot, figure)()
    assert "(" in axes.get_ylabel() or axes.get_ylabel().startswith(("share", "slowdown"))
    assert axes.get_xlabel() or [label.get_text() for label in axes.get_xticklabels()]
    assert axes.has_data()
    matplotlib.pyplot.close(axes.figure)
    assert study.plot.svg(figure).startswith("<")


def test_figures_and_reports_are_written(study: netloom.Study, tmp_path: Path) -> None:
    pictures = netloom.figures(study, folder=tmp_path / "figures", format="svg")
    assert {picture.suffix for picture in pictures} == {".svg"}
    assert all(picture.with_suffix(".csv").exists() for picture in pictures)
    page = study.report(tmp_path / "report.html")
    assert page.stat().st_size > 100_000
    with pytest.raises(netloom.Occupied):
        study.report(page)
    frame = study.show_report(height=300)
    assert "height:300px" in frame._repr_html_()


def test_a_paper_is_reproduced(tmp_path: Path) -> None:
    found = netloom.reproduce("spectrum-ar", tmp_path / "paper", only=["last-flow"], progress=False)
    assert sum(found.tally.values()) == 1
    assert found.claims.height == 1
