//! A chart on the page: drawn with its mutants on it, and each test as a path through it.

mod draw;
mod layout;
mod words;

use super::report::{GenerationReport, MutantReport};
use crate::charts::mutants::{Edit, ElementId, ElementMap};
use crate::generation::{Generated, SpecStateId};
use crate::loading::{ChartSource, ModelSource};
use crate::mutation::ModelMutantId;
use draw::{Note, draw, key};
use maud::{Markup, PreEscaped, html};
use std::collections::{BTreeMap, BTreeSet};

/// What a page shows of a chart.
pub struct ChartView {
    /// The drawings of its machines, by name.
    pub machines: Vec<(String, Markup)>,
    /// By a mutant's place in the report, the element that it lies on.
    pub elements: Vec<Option<String>>,
    pub tests: Vec<TestPath>,
}

/// A test's way through the chart.
pub struct TestPath {
    /// What is done or seen, and the arrows that the original takes with it, where it starts first.
    pub steps: Vec<(String, Vec<String>)>,
}

impl ChartView {
    /// `None` for models that are no charts.
    pub fn new(
        source: &ModelSource,
        report: &GenerationReport,
        generated: &Generated,
    ) -> Option<ChartView> {
        let chart = source.chart.as_ref()?;
        let map = ElementMap::new(&chart.chart, source.text());
        let elements: Vec<Option<ElementId>> = report
            .mutants
            .iter()
            .map(|mutant| element(chart, &map, mutant))
            .collect();
        let notes = notes(report, &elements);
        let machines = chart.chart.machines.iter().enumerate();
        Some(ChartView {
            machines: machines
                .map(|(number, machine)| (machine.name.text.clone(), draw(machine, number, &notes)))
                .collect(),
            elements: elements
                .into_iter()
                .map(|element| element.map(key))
                .collect(),
            tests: paths(chart, generated),
        })
    }
}

fn element(chart: &ChartSource, map: &ElementMap, mutant: &MutantReport) -> Option<ElementId> {
    match chart.mutants.get(mutant.id as usize - 1) {
        Some(shape) => Some(shape.edit.element(shape.machine)),
        None => map.at(&(mutant.start as usize..mutant.end as usize)),
    }
}

fn notes(report: &GenerationReport, elements: &[Option<ElementId>]) -> BTreeMap<ElementId, Note> {
    let mut groups: BTreeMap<ElementId, Vec<&MutantReport>> = BTreeMap::new();
    for (mutant, element) in report.mutants.iter().zip(elements) {
        if let Some(element) = element {
            groups.entry(*element).or_default().push(mutant);
        }
    }
    let note = |(element, group): (ElementId, Vec<&MutantReport>)| (element, note(&group));
    groups.into_iter().map(note).collect()
}

fn note(group: &[&MutantReport]) -> Note {
    let counts =
        |mutant: &&&MutantReport| !matches!(mutant.status, "duplicate" | "equivalent" | "dead");
    let counted: Vec<&&MutantReport> = group.iter().filter(counts).collect();
    let killed = counted
        .iter()
        .filter(|mutant| mutant.status == "killed")
        .count();
    let lines: Vec<String> = group
        .iter()
        .map(|m| format!("{}: {} → {}: {}", m.id, m.original, m.replacement, m.status))
        .collect();
    Note {
        class: super::page::worst(group),
        killed,
        total: counted.len(),
        title: lines.join("\n"),
    }
}

/// The tests' ways. Which arrows the original takes is what its run recorded: a mutant that never takes an arrow is met
/// exactly where the arrow is taken.
fn paths(chart: &ChartSource, generated: &Generated) -> Vec<TestPath> {
    let mut arrows: BTreeMap<ModelMutantId, String> = BTreeMap::new();
    for (at, mutant) in chart.mutants.iter().enumerate() {
        if let Edit::Disable(_) = mutant.edit {
            let id = ModelMutantId(at as u32 + 1);
            arrows.insert(id, key(mutant.edit.element(mutant.machine)));
        }
    }
    let graph = &generated.graph;
    let taken = |infected: &mut dyn Iterator<Item = ModelMutantId>| -> BTreeSet<String> {
        infected
            .filter_map(|mutant| arrows.get(&mutant).cloned())
            .collect()
    };
    let own = |state: SpecStateId| taken(&mut graph.state(state).own.iter());
    let path = |path: &crate::generation::Path| {
        let start = path
            .states
            .first()
            .map(|state| own(*state))
            .unwrap_or_default();
        let mut steps = vec![("start".to_owned(), start.into_iter().collect())];
        for (step, pair) in path.moves.iter().zip(path.states.windows(2)) {
            let transitions = graph.state(pair[0]).transitions();
            let transition = transitions
                .iter()
                .find(|transition| transition.step == *step);
            let mut all = own(pair[1]);
            if let Some(transition) = transition {
                all.extend(taken(&mut transition.infected.iter().copied()));
            }
            steps.push((step.text(&generated.model), all.into_iter().collect()));
        }
        TestPath { steps }
    };
    generated.paths.iter().map(path).collect()
}

/// The chart's part of the page.
pub fn section(view: &ChartView, report: &GenerationReport) -> Markup {
    html! {
        h2 { "Chart" }
        p {
            "Each element has the mutants that lie on it: green where all are killed, red where one lives. Point at an element to \
             read them, click it to list only them below."
        }
        @for (name, drawing) in &view.machines {
            @if view.machines.len() > 1 { h3 { (name) } }
            div.drawing { (drawing) }
        }
        h3 { "Tests as paths" }
        p { "Point at a step to see the arrows that are taken with it; click the name of a test to see all that it takes." }
        @for (test, path) in report.tests.iter().zip(&view.tests) {
            @let all: BTreeSet<&str> = path.steps.iter().flat_map(|(_, arrows)| arrows).map(String::as_str).collect();
            details {
                summary.step data-p=(all.into_iter().collect::<Vec<_>>().join(" ")) {
                    (test.file) ": " (path.steps.len() - 1) " moves"
                }
                ol.path {
                    @for (label, arrows) in &path.steps {
                        li.step data-p=(arrows.join(" ")) tabindex="0" { (label) }
                    }
                }
            }
        }
    }
}

pub const STYLE: &str = ".drawing{overflow:auto;border:1px solid #ddd;margin:.5rem 0}svg.chart{font:11px/1.2 system-ui,sans-serif;display:block}\
.chart rect,.chart circle{fill:#fff;stroke:#888;stroke-width:1.2}.chart path{fill:none;stroke:#888;stroke-width:1.2}\
.chart marker path,.chart .dot{fill:#555;stroke:none}.chart rect.region{stroke-dasharray:4 3}.chart text{fill:#222;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\
.chart text.name{font-weight:600}.chart text.count{font-size:9px;fill:#666}.chart .stays path{stroke-dasharray:3 3}\
.chart .el[data-e]{cursor:pointer}.chart .killed>path,.chart .killed>rect,.chart .killed>circle{stroke:#2c8a3e}\
.chart .given>path,.chart .given>rect,.chart .given>circle{stroke:#c33;stroke-width:2}.chart .unreached>path,.chart .unreached>rect{stroke:#bbb}\
.chart .other>path,.chart .other>rect,.chart .other>circle{stroke:#c80}\
.chart .on>path{stroke:#06c;stroke-width:3.5}.chart .on>text{fill:#06c;font-weight:600}.chart .picked>rect{fill:#def}.chart .picked>text{fill:#06c}\
ol.path{columns:14rem;font-size:12px}.step{cursor:pointer}.step:hover,.step:focus{background:#def}\
@media(prefers-color-scheme:dark){.drawing{border-color:#444}.chart rect,.chart circle{fill:#222}.chart text{fill:#ddd;stroke:#222}.chart .picked>rect{fill:#234}\
.step:hover,.step:focus{background:#234}}";

/// Lights up paths, and lists the mutants of an element that is clicked.
pub const SCRIPT: &str = "(()=>{const all=s=>[...document.querySelectorAll(s)];\
const light=keys=>all('.chart .el').forEach(e=>e.classList.toggle('on',!!e.dataset.e&&keys.includes(e.dataset.e)));\
let kept=[];all('.step').forEach(s=>{const keys=s.dataset.p.split(' ').filter(k=>k);\
s.addEventListener('mouseenter',()=>light(keys));s.addEventListener('focus',()=>light(keys));\
s.addEventListener('mouseleave',()=>light(kept));s.addEventListener('click',()=>{kept=keys;light(keys)})});\
let picked=null;const pick=key=>{picked=picked===key?null:key;\
all('.chart .el').forEach(e=>e.classList.toggle('picked',picked!==null&&e.dataset.e===picked));\
all('tr[data-m]').forEach(r=>r.hidden=picked!==null&&r.dataset.m!==picked)};\
all('.chart .el[data-e]').forEach(e=>{e.addEventListener('click',()=>pick(e.dataset.e));\
e.addEventListener('keydown',k=>{if(k.key==='Enter')pick(e.dataset.e)})})})()";

/// The script as it stands on the page.
pub fn script() -> Markup {
    html! { script { (PreEscaped(SCRIPT)) } }
}
