//! `Fn::Cidr`: blocks of equal size inside a larger one.

use super::invalid;
use crate::error::ApiError;
use std::net::IpAddr;

/// The first `count` blocks of `bits` host bits inside `block`, for example `10.0.0.0/16`.
pub(super) fn blocks(block: &str, count: u32, bits: u32) -> Result<Vec<String>, ApiError> {
    let malformed = || invalid(format!("Template error: Fn::Cidr: {block} is not a valid CIDR block"));
    let (address, prefix) = block.split_once('/').ok_or_else(malformed)?;
    let address: IpAddr = address.parse().map_err(|_| malformed())?;
    let prefix: u32 = prefix.parse().map_err(|_| malformed())?;
    let width = if address.is_ipv4() { 32 } else { 128 };
    if prefix > width {
        return Err(malformed());
    }
    if !(1..=256).contains(&count) || bits == 0 || bits > width - prefix {
        return Err(invalid(format!("Template error: Fn::Cidr: {block} cannot hold blocks of {bits} host bits")));
    }
    let room = width - prefix - bits;
    if room < 32 && u64::from(count) > (1_u64 << room) {
        return Err(invalid(format!(
            "Template error: Fn::Cidr: {block} cannot hold {count} blocks of {bits} host bits"
        )));
    }
    Ok(list(address, prefix, width, count, bits))
}

fn list(address: IpAddr, prefix: u32, width: u32, count: u32, bits: u32) -> Vec<String> {
    let number = match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)),
        IpAddr::V6(v6) => u128::from(v6),
    };
    let host = width - prefix;
    let base = if host >= 128 { 0 } else { (number >> host) << host };
    (0..count)
        .map(|index| {
            let step = if bits >= 128 { 0 } else { u128::from(index) << bits };
            let start = base | step;
            let text = match address {
                // The value fits: a v4 base has 32 bits and the steps stay inside its host part.
                IpAddr::V4(_) => std::net::Ipv4Addr::from(u32::try_from(start).unwrap_or(u32::MAX)).to_string(),
                IpAddr::V6(_) => std::net::Ipv6Addr::from(start).to_string(),
            };
            format!("{text}/{}", width - bits)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_v4_and_v6() {
        assert_eq!(blocks("192.168.0.0/24", 3, 5).unwrap(), ["192.168.0.0/27", "192.168.0.32/27", "192.168.0.64/27"]);
        assert_eq!(blocks("2001:db8::/56", 2, 64).unwrap(), ["2001:db8::/64", "2001:db8:0:1::/64"]);
    }

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(blocks("10.0.0.0/30", 2, 2).is_err());
        assert!(blocks("10.0.0.0/33", 1, 1).is_err());
        assert!(blocks("nonsense", 1, 1).is_err());
        assert!(blocks("10.0.0.0/8", 0, 8).is_err());
    }
}
