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


def test_runs_of_a_sweep_are_named_by_what_was_varied(study: netloom.Study) -> None:
    flowlet = netloom.balance.Flowlet(gap="20us")
    size = "jobs.0.phases.0.ring_all_reduce.size"
    found = netloom.sweep(TRAINING, vary={"balance": ["ecmp", flowlet], size: ["64KiB"]}, progress=False)
    assert found.points["run"].to_list() == ["ecmp, size=64KiB", "flowlet, size=64KiB"]
    assert found.points["variant"].to_list() == found.points["run"].to_list()
    assert found.points[size].to_list() == ["64KiB"] * 2
    assert found.compare().frame["run"].to_list() == found.points["run"].to_list()
    assert set(found.plot.data("step_time")["run"]) == set(found.points["run"])
    assert set(study.points["variant"]) == {"ecmp", "spray"}


def test_a_sweep_without_a_folder_is_temporary_and_can_be_saved(tmp_path: Path) -> None:
    found = netloom.sweep(TRAINING, seeds=2, progress=False)
    assert found.folder is not None
    home, names = found.folder, found.points["run"].to_list()
    kept = found.save(tmp_path / "kept")
    del found
    assert not home.exists()
    assert kept.points["run"].to_list() == names
    assert kept.steps.height == 2 * 8


def test_temporary_runs_are_named_by_what_distinguishes_them() -> None:
    ecmp = netloom.run(TRAINING, progress=False)
    spray = netloom.run(TRAINING, set={"balance": "spray"}, progress=False)
    again = netloom.run(TRAINING, progress=False)
    assert netloom.compare(ecmp, spray).baseline == "ecmp"
    both = netloom.Study([ecmp, spray])
    assert both.points["run"].to_list() == ["ecmp", "spray"]
    assert set(both.plot.data("step_time")["run"]) == {"ecmp", "spray"}
    assert netloom.Study([ecmp, again]).points["run"].to_list() == ["training, 1", "training, 2"]
    assert ecmp.plot.data("step_time")["run"].to_list() == ["training"]


def test_seeds_of_a_variant_share_a_colour_and_an_entry_of_the_legend(study: netloom.Study) -> None:
    assert [label.get_text() for label in study.plot.step_time().get_xticklabels()] == ["ecmp", "spray"]
    for figure, lines in (("throughput", 4), ("step_time_cdf", 2), ("links", 2), ("slowdown", 4)):
        axes = getattr(study.plot, figure)()
        legend = axes.get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["ecmp", "spray"]
        assert len(axes.lines) == lines
        assert len({line.get_color() for line in axes.lines}) == 2
    matplotlib.pyplot.close("all")


def test_faults_are_lines_in_figures_over_time() -> None:
    faults = netloom.Faults(
        timed=[netloom.Timed(at="100us", link="leaf0-spine1.0", action={"degrade": {"rate": "50Gbps"}})]
    )
    run = netloom.run({**TRAINING.to_data(), "faults": faults.to_data()}, progress=False)
    axes = run.plot.throughput()
    assert list(axes.lines[-1].get_xdata()) == pytest.approx([0.1, 0.1])  # type: ignore[arg-type]
    assert axes.get_title() == "0.1 ms: link leaf0-spine1.0 degrade"
    matplotlib.pyplot.close("all")


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


def test_a_step_is_explained_by_causes_that_add_up(study: netloom.Study) -> None:
    found = study[0].explain("worst", progress=False)
    assert found.causes["time_s"].sum() == pytest.approx(found.time_s)
    assert found.messages.height == len(found.data["messages"])
    assert found.messages.filter(pl.col("time_s") > found.time_s).is_empty()
    assert str(found).startswith(f"step {found.step} of training took")
    with pytest.raises(netloom.InvalidInput, match="worst"):
        study[0].explain("worse")
    with pytest.raises(netloom.InvalidInput):
        study[0].explain(10_000)


def test_values_of_a_sweep_are_lists(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="list of values"):
        netloom.sweep(TRAINING, tmp_path / "x", vary={"balance": "ecmp"})
    with pytest.raises(netloom.InvalidInput, match="no values"):
        netloom.sweep(TRAINING, tmp_path / "x", vary={"balance": []})


def test_lists_of_runs_are_compared(study: netloom.Study) -> None:
    assert netloom.compare([study[0], study[2]]).frame.equals(netloom.compare(study[0], study[2]).frame)
