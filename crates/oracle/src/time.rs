//! Milliseconds since the epoch as text, in UTC, without asking the system for anything.

const DAY_MS: i128 = 86_400_000;

/// RFC 3339 in UTC with milliseconds, for example `2026-11-30T06:16:50.248Z`; any `i64` gives a text.
#[must_use]
pub fn utc(at_ms: i64) -> String {
    let (days, rest) = split(at_ms);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}T{}Z", clock(rest))
}

/// Time of day in UTC with milliseconds, for example `06:16:50.248`.
#[must_use]
pub fn of_day(at_ms: i64) -> String {
    clock(split(at_ms).1)
}

fn split(at_ms: i64) -> (i128, i128) {
    let at = i128::from(at_ms);
    (at.div_euclid(DAY_MS), at.rem_euclid(DAY_MS))
}

fn clock(ms: i128) -> String {
    format!("{:02}:{:02}:{:02}.{:03}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60, ms % 1000)
}

/// Days since 1970-01-01 as a date of the proleptic Gregorian calendar; years are counted from March, so that the
/// leap day is the last of its year.
fn civil(days: i128) -> (i128, i128, i128) {
    const ERA: i128 = 146_097; // days in 400 years
    let shifted = days + 719_468; // since 0000-03-01
    let (era, day_of_era) = (shifted.div_euclid(ERA), shifted.rem_euclid(ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_known_instants() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_400_123), "2000-02-29T00:00:00.123Z");
        assert_eq!(utc(1_796_107_010_248), "2026-12-01T06:36:50.248Z");
        assert_eq!(utc(-1), "1969-12-31T23:59:59.999Z");
        assert_eq!(of_day(1_796_107_010_248), "06:36:50.248");
    }

    #[test]
    fn every_instant_has_a_text() {
        assert!(!utc(i64::MIN).is_empty());
        assert!(!utc(i64::MAX).is_empty());
    }
}
