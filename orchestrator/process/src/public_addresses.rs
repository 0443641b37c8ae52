//! Which addresses are of the public net.
//!
//! What: [`is_public`]. Why: a name can lead anywhere, also to this computer and to the owner's own network. Not here: who is connected to
//! (`broker`, `outbound::web_push` of the runtime).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one of the public net: by the registries of special addresses (RFC 6890) and what became of them.
pub fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    !(a == 0
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 224)
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    // All that was given out so far is in 2000::/3; within it these are special: protocols (with Teredo), documentation, 6to4.
    (0x2000..0x4000).contains(&a)
        && !(a == 0x2001 && (b < 0x200 || b == 0x0db8))
        && a != 0x2002
        && !(a == 0x3fff && b < 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_computer_and_of_own_networks_are_not_public() {
        for public in [
            "1.1.1.1",
            "142.250.186.42",
            "172.32.0.1",
            "100.128.0.1",
            "2a00:1450:4001:80b::200a",
            "2606:4700::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for own in [
            "0.0.0.0",
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.7",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:1.1.1.1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
        ] {
            assert!(!is_public(own.parse().unwrap()), "{own}");
        }
    }
}
