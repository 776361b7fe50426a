//! Step 2, second half: the birth gate (METHOD section 5.2).
//!
//! An op is born if it fires on enough of its cluster and leaves every known-good output alone. Only an op that fires
//! on a labelled failure of a known class may be selected at once; any other is a shadow until it has shown its use.

use crate::journal::{Gate, Standing};
use crate::metric_loop::cluster::Cluster;
use crate::metric_loop::evidence::Verdicts;
use crate::metric_loop::sight::Sight;
use crate::script::Module;
use crate::verdict::Verdict;

/// What an op does on its cluster, on the known-good outputs and on train.
pub fn examine(op: &Module, cluster: &Cluster, sight: &Sight, verdicts: &Verdicts) -> Gate {
    let is = |output: usize, wanted: fn(&Verdict) -> bool| verdicts.verdict(op, output).is_some_and(wanted);
    let fires = |output: &usize| is(*output, Verdict::is_drawback);
    let outputs = cluster.outputs(sight);
    let split = sight.split;
    let found = cluster.misses.iter().filter(|item| fires(&split.dev[**item]));
    let harmed = |item: &usize| {
        let alarm = |verdict: &Verdict| verdict.is_drawback() || verdict.is_fault();
        !split.dev_fails.get(*item) && is(split.dev[*item], alarm)
    };
    Gate {
        fires: outputs.iter().filter(|output| fires(output)).count(),
        cluster: outputs.len(),
        misses: found.map(|item| split.dev_ids[*item].clone()).collect(),
        false_alarms: (0..split.dev.len()).filter(harmed).map(|item| split.dev_ids[item].clone()).collect(),
        known_good: split.known_good().len(),
        train: split.train.iter().filter(|output| fires(output)).count(),
    }
}

/// How an op is born, or why it is not.
pub fn admit(gate: &Gate, cluster: &Cluster, share: f64) -> Result<Standing, String> {
    if !gate.false_alarms.is_empty() {
        let outputs = gate.false_alarms.join(", ");
        return Err(format!("it blames or faults on {outputs}, known to be good"));
    }
    if gate.fires == 0 || (gate.fires as f64) < share * gate.cluster as f64 {
        return Err(format!("it fires on {} of the {} outputs of its cluster", gate.fires, gate.cluster));
    }
    let anchored = !gate.misses.is_empty() && cluster.class.is_some();
    Ok(if anchored { Standing::Active } else { Standing::Shadow })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(fires: usize, cluster: usize, misses: &[&str], false_alarms: &[&str]) -> Gate {
        let names = |ids: &[&str]| ids.iter().map(|id| id.to_string()).collect();
        Gate { fires, cluster, misses: names(misses), false_alarms: names(false_alarms), known_good: 5, train: 9 }
    }

    fn cluster(class: Option<&str>) -> Cluster {
        Cluster { class: class.map(str::to_string), misses: vec![0], gaps: vec![], recurring: true }
    }

    #[test]
    fn half_of_the_cluster_is_enough_and_less_is_not() {
        let known = cluster(Some("crash"));
        assert_eq!(admit(&gate(2, 4, &["a"], &[]), &known, 0.5), Ok(Standing::Active));
        let refused = admit(&gate(1, 3, &["a"], &[]), &known, 0.5).unwrap_err();
        assert_eq!(refused, "it fires on 1 of the 3 outputs of its cluster");
        assert!(admit(&gate(0, 0, &[], &[]), &known, 0.5).is_err());
    }

    #[test]
    fn one_false_alarm_refuses_an_op_that_finds_everything() {
        let refused = admit(&gate(4, 4, &["a"], &["t#1", "t#2"]), &cluster(Some("crash")), 0.5).unwrap_err();
        assert_eq!(refused, "it blames or faults on t#1, t#2, known to be good");
    }

    #[test]
    fn only_a_labelled_failure_of_a_known_class_makes_an_op_active_at_once() {
        assert_eq!(admit(&gate(2, 2, &["a"], &[]), &cluster(None), 0.5), Ok(Standing::Shadow));
        assert_eq!(admit(&gate(2, 2, &[], &[]), &cluster(Some("crash")), 0.5), Ok(Standing::Shadow));
    }
}
