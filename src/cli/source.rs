//! What `grade` and `explain` have in common: a metric from a bundle or a pack, and outputs.

use std::path::PathBuf;

use crate::base::{Error, Result};
use crate::dataset::{Corpus, Stream};
use crate::grade::Metric;
use crate::pack::Pack;

/// Where the metric and the outputs come from.
#[derive(clap::Args)]
pub struct Source {
    /// A metric bundle, such as RUN/metric.json
    #[arg(required_unless_present = "pack", conflicts_with_all = ["pack", "expr"])]
    metric: Option<PathBuf>,
    /// A pack's folder, instead of a bundle
    #[arg(long, value_name = "FOLDER")]
    pack: Option<PathBuf>,
    /// Expression over the pack's ops, such as '(any a b)' [default: the pack's own]
    #[arg(long, requires = "pack", value_name = "EXPRESSION")]
    expr: Option<String>,
    /// Tasks, one JSON object a line
    #[arg(long, value_name = "FILE")]
    tasks: PathBuf,
    /// Outputs, one JSON object a line
    #[arg(long, value_name = "FILE")]
    outputs: PathBuf,
}

impl Source {
    pub fn metric(&self) -> Result<Metric> {
        let Some(folder) = &self.pack else {
            let path =
                self.metric.as_ref().ok_or_else(|| Error::usage("name a metric bundle, or a pack with --pack"))?;
            return Metric::read(path);
        };
        let pack = Pack::load(folder)?;
        match &self.expr {
            Some(text) => Metric::new(pack, text),
            None => Metric::of_default(pack).ok_or_else(|| {
                Error::usage("this pack declares no default expression").at(folder, None).help("Give one with --expr")
            }),
        }
    }

    /// The tasks and outputs, to be read in pieces.
    pub fn stream(&self) -> Result<Stream> {
        Stream::open(&self.tasks, &self.outputs)
    }

    pub fn corpus(&self) -> Result<Corpus> {
        Corpus::load(&self.tasks, &self.outputs)
    }
}
