//! Traffic classes: which kind of traffic is in which class, and the settings of each class at every port.
//!
//! Invariants: ports distinguish data by class only if it is in several classes, or if the scenario requests it; a
//! single class is the class of data, with its own settings.

use std::collections::BTreeMap;

use netloom_model::{
    Adapting, Background, DataClass, DataClasses, FabricService, Job, Message, PriorityMap, Queues, Schedule,
    StagedFlows, TrafficKind,
};

use super::{buffer, consistency, finite};
use crate::diagnostic::Problems;
use crate::location::{Located, Location};
use crate::resolve::Draft;
use crate::resolved::{self, Class, ClassMarking, Classes, Parameters, Traffic, queue_pairs, sections};
use crate::suggest;

/// Classes and kinds of traffic, resolved.
pub(super) struct Plan<'a> {
    classes: &'a Classes,
    traffic: &'a [Traffic],
    queues: Option<&'a resolved::Queues>,
    /// The class of each code point.
    by_dscp: BTreeMap<u8, u8>,
    /// Classes that data is in, one bit each.
    used: u8,
    /// Whether ports distinguish data by class even with one class.
    is_asked: bool,
}

impl<'a> Plan<'a> {
    /// The plan of a draft, as far as it could be read.
    pub(super) fn new(draft: &'a Draft) -> Option<Plan<'a>> {
        let classes = draft.classes.as_ref()?;
        let code_points =
            classes.list.iter().flat_map(|class| class.dscp.iter().map(|dscp| (dscp.value, class.number())));
        let record = draft.record.as_ref();
        let mut plan = Plan {
            classes,
            traffic: &draft.traffic,
            queues: draft.queues.as_ref(),
            by_dscp: code_points.collect(),
            used: 0,
            is_asked: record.is_some_and(|record| record.settings.settings.flag("classes")),
        };
        let listed = classes.list.iter().map(Class::number);
        let named = draft.traffic.iter().map(|kind| plan.class_of(kind));
        plan.used = listed.chain(named).fold(0, |bits, class| bits | 1 << class);
        if plan.used == 0 || kinds_of(draft).any(|kind| kind.is_none()) {
            plan.used |= 1 << plan.data();
        }
        Some(plan)
    }

    fn data(&self) -> u8 {
        self.classes.settings.settings.count("data") as u8
    }

    fn class_of(&self, kind: &Traffic) -> u8 {
        let of_dscp = kind.dscp.as_ref().and_then(|dscp| self.by_dscp.get(&dscp.value).copied());
        kind.class.as_ref().map(|class| class.value).or(of_dscp).unwrap_or_else(|| self.data())
    }

    pub(super) fn separates_classes(&self) -> bool {
        self.is_asked || self.used.count_ones() > 1
    }

    /// Classes that data is in.
    fn numbers(&self) -> impl Iterator<Item = u8> {
        let used = self.used;
        (0..8).filter(move |class| used >> class & 1 == 1)
    }

    fn listed(&self, number: u8) -> Option<&'a Class> {
        self.classes.list.iter().find(|class| class.number() == number)
    }

    fn pauses(&self, number: u8) -> bool {
        let queues = self.queues.is_some_and(|queues| queues.settings.settings.flag("pause"));
        let own = self.listed(number).and_then(|class| class.pause.as_ref());
        own.map_or(queues, |pause| pause.value)
    }

    /// Of the data classes that lose packets when the buffer is full, the smallest share of the free buffer that one
    /// may use, and where it is written if the class has its own.
    pub(super) fn smallest_alpha_that_loses(&self) -> Option<(u32, Option<Location>)> {
        let losing = self.numbers().filter(|&number| !self.pauses(number));
        let alpha = |number| {
            let own = self.listed(number).and_then(|class| class.alpha.as_ref());
            (self.class(number).alpha, own.map(|alpha| alpha.location))
        };
        losing.map(alpha).min_by_key(|found| found.0)
    }

    /// Whether switches mark data of some class.
    pub(super) fn marks(&self) -> bool {
        self.numbers().any(|number| self.class(number).marking.is_some())
    }

    /// Marking settings that classes have of their own.
    pub(super) fn own_markings(&self) -> impl Iterator<Item = &Parameters> {
        self.classes.list.iter().filter_map(|class| match &class.marking {
            ClassMarking::Own(marking) => Some(marking),
            _ => None,
        })
    }

    /// Adaptive marking thresholds, if data is in one class.
    fn adapting(&self) -> Option<Adapting> {
        let of_queues = || self.queues.and_then(|queues| queues.marking.as_ref());
        let own = self.listed(self.only()).map_or(&ClassMarking::AsQueues, |class| &class.marking);
        match own {
            ClassMarking::AsQueues => of_queues().and_then(buffer::adapting),
            ClassMarking::Off => None,
            ClassMarking::Own(marking) => buffer::adapting(marking),
        }
    }

    /// Number of data classes that switches pause.
    pub(super) fn n_pausing(&self) -> usize {
        self.numbers().filter(|&number| self.pauses(number)).count()
    }

    fn class(&self, number: u8) -> DataClass {
        let (own, queues) = (self.listed(number), self.queues);
        let marking = match own.map_or(&ClassMarking::AsQueues, |class| &class.marking) {
            ClassMarking::AsQueues => queues.and_then(|queues| queues.marking.as_ref()),
            ClassMarking::Off => None,
            ClassMarking::Own(marking) => Some(marking),
        };
        let alpha = own.and_then(|class| class.alpha.as_ref()).map(|alpha| alpha.value);
        let common = queues.map_or(1.0, |queues| queues.settings.settings.fraction("alpha"));
        DataClass {
            schedule: own.map_or(Schedule::Strict, |class| schedule(&class.schedule)),
            marking: marking.map(buffer::marking),
            alpha: buffer::alpha(alpha.unwrap_or(common)),
            pause: self.pauses(number),
        }
    }

    /// The settings of classes at ports, in addition to those of `queues`.
    pub(super) fn queues(&self, queues: &Queues) -> Queues {
        let pause = queues.buffer.and(self.queues).filter(|_| self.n_pausing() > 0).map(buffer::pause);
        let buffer = queues.buffer.map(|buffer| netloom_model::Buffer { pause, ..buffer });
        if self.separates_classes() {
            let mut classes = DataClasses::default();
            self.numbers()
                .for_each(|number| classes.by_number[usize::from(number)] = Some(self.class(number)));
            return Queues { buffer, classes, ..*queues };
        }
        let only = self.class(self.only());
        let buffer = buffer.map(|buffer| netloom_model::Buffer { alpha: only.alpha, ..buffer });
        let marking = only.marking.filter(|_| queues.credits.is_none());
        let adapting = self.adapting().filter(|_| marking.is_some());
        Queues { buffer, marking, adapting, ..*queues }
    }

    /// The lowest class that data is in.
    fn only(&self) -> u8 {
        self.used.trailing_zeros() as u8
    }

    /// The class of data without a kind, and that of control packets.
    pub(super) fn map(&self) -> PriorityMap {
        let control = self.classes.settings.settings.count("control") as u8;
        PriorityMap { data: if self.separates_classes() { self.data() } else { self.only() }, control }
    }

    /// The kind of that name.
    fn kind(&self, name: &Located<String>) -> Option<(usize, &'a Traffic)> {
        self.traffic.iter().enumerate().find(|(_, kind)| kind.name.value == name.value)
    }

    /// The class and reordering permission of messages of a kind.
    fn handling(&self, name: Option<&Located<String>>) -> FabricService {
        let Some((_, kind)) = name.and_then(|name| self.kind(name)) else { return FabricService::default() };
        FabricService {
            class: Some(self.class_of(kind)),
            may_reorder: kind.settings.settings.flag("may_reorder"),
        }
    }
}

fn schedule(parameters: &Parameters) -> Schedule {
    if parameters.spec.name == sections::STRICT.name {
        return Schedule::Strict;
    }
    Schedule::Weighted { weight: parameters.settings.count("weight") as u32 }
}

/// The kind of traffic of each job, of background traffic and of each flow.
fn kinds_of(draft: &Draft) -> impl Iterator<Item = Option<&Located<String>>> {
    let jobs = draft.jobs.iter().map(|job| job.traffic.as_ref());
    let background = draft.background.iter().map(|background| background.traffic.as_ref());
    let flows = draft.flows.iter().flat_map(|flows| flows.staged().map(|flow| flow.traffic.as_ref()));
    jobs.chain(background).chain(flows).chain(draft.flows.iter().flat_map(finite::used_kinds))
}

/// Sets class and reordering permission of jobs, background traffic and flows.
pub(super) fn handle(
    draft: &Draft,
    jobs: &mut [(usize, Job)],
    background: Option<&mut Background>,
    staged: Option<&mut StagedFlows>,
) {
    let Some(plan) = Plan::new(draft) else { return };
    for (number, job) in jobs {
        job.handling = plan.handling(draft.jobs[*number].traffic.as_ref());
    }
    if let (Some(made), Some(wanted)) = (background, &draft.background) {
        made.handling = plan.handling(wanted.traffic.as_ref());
    }
    if let (Some(made), Some(wanted)) = (staged, &draft.flows) {
        for (flow, wanted) in made.flows.iter_mut().zip(wanted.staged()) {
            flow.handling = plan.handling(wanted.traffic.as_ref());
        }
    }
}

/// How the fabric is to handle finite flows, by service.
pub(super) fn services(draft: &Draft) -> Vec<FabricService> {
    let (Some(plan), Some(flows)) = (Plan::new(draft), &draft.flows) else { return Vec::new() };
    finite::kinds(flows).map(|kind| plan.handling(kind)).collect()
}

/// The kind of traffic of each part of the workload, sorted by job and step.
pub(super) fn kinds(draft: &Draft) -> Vec<TrafficKind> {
    let Some(plan) = Plan::new(draft) else { return Vec::new() };
    let jobs = draft.jobs.iter().enumerate().map(|(number, job)| (number as u16, 0, job.traffic.as_ref()));
    let finite = draft.flows.iter().flat_map(|flows| (0..).zip(finite::kinds(flows)));
    let finite = finite.map(|(service, kind)| (Message::FINITE, service, kind));
    let flows = draft.flows.iter().flat_map(|flows| (0..).zip(flows.staged()));
    let flows = flows.map(|(number, flow)| (Message::STAGED, number, flow.traffic.as_ref()));
    let background =
        draft.background.iter().map(|background| (Message::BACKGROUND, 0, background.traffic.as_ref()));
    let named = |(job, step, name): (u16, u32, Option<&Located<String>>)| {
        let (kind, traffic) = plan.kind(name?)?;
        let FabricService { may_reorder, .. } = plan.handling(name);
        Some(TrafficKind { job, step, kind: kind as u16, class: plan.class_of(traffic), may_reorder })
    };
    jobs.chain(finite).chain(flows).chain(background).filter_map(named).collect()
}

/// Reports contradictions between kinds of traffic, classes and other sections.
pub(super) fn check(draft: &Draft, problems: &mut Problems) {
    for name in kinds_of(draft).flatten() {
        unknown(name, &draft.traffic, problems);
    }
    let Some(plan) = Plan::new(draft) else { return };
    for dscp in draft.traffic.iter().filter_map(|kind| kind.dscp.as_ref()) {
        if !plan.by_dscp.contains_key(&dscp.value) {
            let report = problems.report(dscp.location, format!("no class lists DSCP {}", dscp.value));
            report.label("in which class?");
            report.help(format!("write `classes: {{list: [{{class: 1, dscp: [{}]}}]}}`, say", dscp.value));
        }
    }
    for class in &plan.classes.list {
        pause(class, draft, problems);
    }
    if draft.queues.as_ref().is_some_and(|queues| queues.credits.is_some()) {
        one_lane(&plan, draft, problems);
    }
    if draft.transport.as_ref().is_some_and(|transport| queue_pairs::rule(transport.spec).is_some()) {
        below_control(&plan, problems);
    }
}

fn unknown(name: &Located<String>, traffic: &[Traffic], problems: &mut Problems) {
    let known = || traffic.iter().map(|kind| kind.name.value.as_str());
    if known().any(|known| known == name.value) {
        return;
    }
    let help = suggest::closest(&name.value, known()).map(|known| format!("did you mean `{known}`?"));
    let example = || format!("name it: `traffic: [{{name: {}, class: 1}}]`", name.value);
    let report = problems.report(name.location, format!("there is no kind of traffic `{}`", name.value));
    report.label("not named in `traffic`").help(help.unwrap_or_else(example));
}

/// Pausing needs a buffer, and hosts that obey pause frames.
fn pause(class: &Class, draft: &Draft, problems: &mut Problems) {
    let Some(pause) = class.pause.as_ref().filter(|pause| pause.value) else { return };
    let queues = draft.queues.as_ref();
    if queues.is_some_and(|queues| {
        queues.settings.settings.optional("buffer").is_none() && queues.credits.is_none()
    }) {
        let message = "pause frames need a shared buffer";
        let report = problems.report(pause.location, message);
        report
            .label("pauses when the shared buffer fills")
            .help("add `queues: {buffer: 16MiB}`, or remove `pause`");
    }
    if let Some(transport) = draft.transport.as_ref().filter(|own| queue_pairs::rule(own.spec).is_none()) {
        consistency::heeds_no_frames(pause.location, transport, problems);
    }
}

/// With credits all data is in one virtual lane, so classes would have no effect.
fn one_lane(plan: &Plan<'_>, draft: &Draft, problems: &mut Problems) {
    let asked = draft.record.as_ref().map(|record| &record.settings);
    let asked = asked.filter(|_| plan.is_asked).map(|settings| settings.location_of("classes"));
    let listed = plan.classes.list.iter().map(|class| class.settings.location);
    let named = plan.traffic.iter().filter_map(|kind| {
        let own = kind.class.as_ref().filter(|class| class.value != plan.data());
        own.map(|class| class.location)
    });
    for location in listed.chain(named).chain(asked) {
        let report = problems.report(location, "with `credits` all data is in one class");
        report.label("not distinguished").help("virtual lanes are set by `data_vl` and `control_vl`");
    }
}

/// Control packets on queue pairs must have priority over all data.
fn below_control(plan: &Plan<'_>, problems: &mut Problems) {
    let settings = &plan.classes.settings;
    let control = settings.settings.count("control") as u8;
    // For the class of data itself, this is reported elsewhere.
    let others = plan.numbers().filter(|&number| number >= control && number != plan.data());
    for number in others {
        let listed = plan.listed(number).map(|class| class.settings.location_of("class"));
        let named = plan.traffic.iter().filter_map(|kind| kind.class.as_ref());
        let named = named.filter(|class| class.value == number).map(|class| class.location).next();
        let Some(location) = named.or(listed) else { continue };
        let message = "ACKs, NACKs and CNPs need a higher class than all data with queue pairs";
        let report = problems.report(location, message);
        report.label(format!("data is in class {number}, control in class {control}"));
        report.help(match number {
            7 => "7 is the highest class: choose a lower one for data".to_owned(),
            _ => format!("write `classes: {{control: {}}}`, or a lower class here", number + 1),
        });
    }
}
