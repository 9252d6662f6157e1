//! Room for text in a chart: what would cover another label is left to the title and the table.

/// Width of a character of a chart's labels, pixels; on the wide side.
const CHARACTER: f64 = 6.6;
/// Height of a line of labels, pixels.
const LINE: f64 = 13.0;

/// Labels that have a place.
#[derive(Debug, Default)]
pub(super) struct Labels {
    taken: Vec<(f64, f64, f64)>,
}

impl Labels {
    /// Takes the place of a text whose middle is at `x`, if nothing else is there.
    pub(super) fn fits(&mut self, text: &str, x: f64, y: f64) -> bool {
        let half = text.chars().map(|_| CHARACTER).sum::<f64>() / 2.0;
        let (from, to) = (x - half, x + half);
        let free = self.taken.iter().all(|(f, t, at)| (at - y).abs() >= LINE || to <= *f || *t <= from);
        if free {
            self.taken.push((from, to, y));
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::Labels;

    #[test]
    fn a_label_that_would_cover_another_has_no_place() {
        let mut labels = Labels::default();
        assert!(labels.fits("deadline", 100.0, 16.0));
        assert!(!labels.fits("deadline", 130.0, 16.0));
        assert!(!labels.fits("x", 100.0, 20.0), "nor a little below it");
        assert!(labels.fits("deadline", 130.0, 30.0));
        assert!(labels.fits("deadline", 160.0, 16.0));
    }
}
