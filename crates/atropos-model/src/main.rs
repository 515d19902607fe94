//! A thin command of its own for trying.
fn main() {
    let file = std::env::args().nth(1).unwrap_or_default();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let (model, diagnostics) = atropos_model::check::check(&text);
    print!("{}", diagnostics.render(&file, &text, false));
    let Some(model) = model else { return };
    let model = std::sync::Arc::new(model);
    let mut options = atropos_model::generate::Options::default();
    if std::env::args().nth(2).as_deref() == Some("s1") {
        options.strategy = atropos_model::generate::StrategyKind::S1;
    }
    if std::env::args().nth(2).as_deref() == Some("s2") {
        options.strategy = atropos_model::generate::StrategyKind::S2;
    }
    let g = atropos_model::generate::generate(&model, &options, &mut |_| {}).unwrap();
    println!("{:?}", g.results.table(&model.mutants));
    println!(
        "{} {} {:?} {}",
        g.results.table(&model.mutants).percent_of_total(),
        g.results.table(&model.mutants).percent_of_found(),
        g.stopped,
        g.seconds
    );
    for p in &g.paths {
        println!("{} choices, {} moves", p.choices, p.moves.len());
    }
    if let Some((_, stop)) = &g.failure {
        println!("{stop:?}");
    }
    for m in model.mutants.open() {
        let s = g.results.get(m.id);
        if !matches!(s, atropos_model::generate::Status::Killed(_)) {
            println!(
                "{:?} {} {:?} -> {} {s:?}",
                m.id,
                m.operator.code(),
                model.source(m.span),
                m.replacement
            );
        }
    }
}
