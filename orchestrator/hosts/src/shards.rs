//! Which host serves which owners.
//!
//! What: [`shard_of_name`], in which share of the owners somebody is, and [`plan_shards`], which shards a host takes and which it gives back, of what it
//! knows. Why: leases on shards are few, however many owners there are, and every host decides alone and comes to the same. Not here: leases (`lease`),
//! when it is asked (`shard_keeper`).

use std::collections::BTreeSet;
use toolcall_schema::ids::hmac_sha256;

/// How many shards are given back at a time: their owners start elsewhere while the others are still served here.
const GIVE_AT_ONCE: usize = 4;

/// In which of so many shards an owner is, by the name of her folder: known before her key is, and the same on each host.
pub fn shard_of_name(name: &str, shards: u16) -> u16 {
    let [a, b, c, d, ..] = hmac_sha256(&[0; 32], &[b"aura shard of owners v1 ", name.as_bytes()]);
    let shard = u32::from_be_bytes([a, b, c, d]) % u32::from(shards.max(1));
    u16::try_from(shard).unwrap_or_default()
}

/// What a host knows of the shards.
#[derive(Debug, Clone, Copy)]
pub struct ShardView<'a> {
    pub shards: u16,
    /// How many hosts live, with this one.
    pub hosts: usize,
    /// What this one has and does not give back.
    pub held: &'a BTreeSet<u16>,
    /// What it gives back, and has still services of.
    pub leaving: usize,
    /// What anybody has.
    pub taken: &'a BTreeSet<u16>,
    /// Where this one begins to look for a free one: another host begins elsewhere.
    pub first: u16,
}

/// What a host does next.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShardPlan {
    pub take: Vec<u16>,
    pub give_back: Vec<u16>,
}

/// Each host has as many as the others, or one more: it takes free ones up to that, and gives back what it has beyond it, a few at a time.
pub fn plan_shards(view: &ShardView<'_>) -> ShardPlan {
    let share = usize::from(view.shards).div_ceil(view.hosts.max(1));
    let held = view.held.len();
    if held > share {
        let at_once = GIVE_AT_ONCE.saturating_sub(view.leaving);
        let beyond = view.held.iter().rev().take((held - share).min(at_once));
        return ShardPlan {
            take: Vec::new(),
            give_back: beyond.copied().collect(),
        };
    }
    let first = view.first.min(view.shards);
    let free = (first..view.shards)
        .chain(0..first)
        .filter(|shard| !view.taken.contains(shard) && !view.held.contains(shard));
    ShardPlan {
        take: free.take(share - held).collect(),
        give_back: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owners_shard_is_that_of_her_name_alone_and_shards_are_alike() {
        assert_eq!(shard_of_name("asha", 1), 0);
        // By another program: hosts of any version come to the same.
        assert_eq!(shard_of_name("asha", 64), 30);
        assert_eq!(shard_of_name("jonas", 64), 59);
        let mut counts = [0_u32; 16];
        for owner in 0..1600 {
            counts[usize::from(shard_of_name(&format!("owner-{owner:04}"), 16))] += 1;
        }
        // 100 each are expected, with a standard deviation of 9.7: none is four of them away.
        assert!(
            counts.iter().all(|count| (61..=139).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_host_takes_up_to_its_share_and_gives_back_what_is_beyond() {
        let set = |shards: &[u16]| shards.iter().copied().collect::<BTreeSet<u16>>();
        for (hosts, held, leaving, taken, first, take, give_back) in [
            // Alone it has all, beginning anywhere.
            (1, &[][..], 0, &[][..], 6, &[6, 7, 0, 1, 2, 3, 4, 5][..], &[][..]),
            // Three of eight shards are a share of three hosts.
            (3, &[], 0, &[], 2, &[2, 3, 4], &[]),
            (3, &[2], 0, &[2, 3], 2, &[4, 5], &[]),
            (3, &[0, 1, 2], 0, &[0, 1, 2], 0, &[], &[]),
            // The third has two.
            (3, &[6], 0, &[0, 1, 2, 3, 4, 5, 6], 0, &[7], &[]),
            (3, &[6, 7], 0, &[0, 1, 2, 3, 4, 5, 6, 7], 0, &[], &[]),
            // A second one came: four go, then none while they do.
            (
                2,
                &[0, 1, 2, 3, 4, 5, 6, 7],
                0,
                &[0, 1, 2, 3, 4, 5, 6, 7],
                0,
                &[],
                &[7, 6, 5, 4],
            ),
            (2, &[0, 1, 2, 3, 4], 3, &[0, 1, 2, 3, 4, 5, 6, 7], 0, &[], &[4]),
            (2, &[0, 1, 2, 3, 4], 4, &[0, 1, 2, 3, 4, 5, 6, 7], 0, &[], &[]),
            // The other one died, and its shards run out one after the other.
            (1, &[0, 1], 0, &[0, 1, 3], 0, &[2, 4, 5, 6, 7], &[]),
            // Not even itself is on the list yet.
            (0, &[], 0, &[], 0, &[0, 1, 2, 3, 4, 5, 6, 7], &[]),
            // More hosts than shards.
            (9, &[], 0, &[0, 1, 2, 3, 4, 5, 6], 0, &[7], &[]),
            (9, &[7], 0, &[0, 1, 2, 3, 4, 5, 6, 7], 0, &[], &[]),
        ] {
            let (held, taken) = (set(held), set(taken));
            let view = ShardView {
                shards: 8,
                hosts,
                held: &held,
                leaving,
                taken: &taken,
                first,
            };
            let plan = ShardPlan {
                take: take.to_vec(),
                give_back: give_back.to_vec(),
            };
            assert_eq!(plan_shards(&view), plan, "{view:?}");
        }
    }

    /// What hosts that decide in turn come to.
    fn settle(hosts: &mut [BTreeSet<u16>], shards: u16) {
        for _ in 0..40 {
            for index in 0..hosts.len() {
                let taken: BTreeSet<u16> = hosts.iter().flatten().copied().collect();
                let view = ShardView {
                    shards,
                    hosts: hosts.len(),
                    held: &hosts[index],
                    leaving: 0,
                    taken: &taken,
                    first: u16::try_from(index).unwrap() * 7 % shards,
                };
                let plan = plan_shards(&view);
                hosts[index].extend(plan.take);
                hosts[index].retain(|shard| !plan.give_back.contains(shard));
            }
        }
    }

    #[test]
    fn hosts_that_come_and_go_have_all_shards_in_even_shares() {
        const SHARDS: u16 = 64;
        let mut hosts = vec![BTreeSet::new()];
        for change in ["come", "come", "come", "go", "come", "go", "go"] {
            if change == "come" {
                hosts.push(BTreeSet::new());
            } else {
                hosts.remove(0);
            }
            settle(&mut hosts, SHARDS);
            let share = usize::from(SHARDS).div_ceil(hosts.len());
            let all: BTreeSet<u16> = hosts.iter().flatten().copied().collect();
            assert_eq!(all.len(), usize::from(SHARDS), "{hosts:?}");
            assert_eq!(hosts.iter().map(BTreeSet::len).sum::<usize>(), all.len());
            assert!(hosts.iter().all(|held| held.len() <= share), "{hosts:?}");
        }
    }
}
