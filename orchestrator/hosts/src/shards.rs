//! Which host serves which owners.
//!
//! What: [`shard_of_name`], in which share of the owners somebody is, and [`plan_shards`], which shards a host takes and which it gives back, of what it
//! knows. Why: leases on shards are few, however many owners there are, and every host decides alone and comes to the same. Not here: leases (`lease`),
//! when it is asked (`shard_keeper`).

use std::collections::{BTreeMap, BTreeSet};
use toolcall_schema::ids::hmac_sha256;

/// How many shards are given back at a time: their owners start elsewhere while the others are still served here.
const GIVE_AT_ONCE: usize = 4;

/// In which of so many shards an owner is, by the name of her folder: known before her key is, and the same on each host.
pub fn shard_of_name(name: &str, shards: u16) -> u16 {
    let [a, b, c, d, ..] = hmac_sha256(&[0; 32], &[b"aura shard of owners v1 ", name.as_bytes()]);
    let shard = u32::from_be_bytes([a, b, c, d]) % u32::from(shards.max(1));
    u16::try_from(shard).unwrap_or_default()
}

/// What is known of a living host.
#[derive(Debug, Clone, Copy)]
pub struct HostShards<'a> {
    /// How many shards it has and does not give back.
    pub held: usize,
    /// How many owners of each shard it can serve, by the shard's number; empty: it does not say.
    pub owners: &'a [u32],
}

/// What a host knows of the shards.
#[derive(Debug, Clone, Copy)]
pub struct ShardView<'a> {
    pub shards: u16,
    /// The hosts that live, this one first.
    pub hosts: &'a [HostShards<'a>],
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

impl ShardView<'_> {
    /// Which hosts, by their places in [`Self::hosts`], can serve as many of a shard's owners as any host can.
    fn fit_hosts(&self, shard: u16) -> Vec<usize> {
        let count = |host: &HostShards<'_>| host.owners.get(usize::from(shard)).copied();
        let most = self.hosts.iter().filter_map(count).max().unwrap_or_default();
        let is_fit = |host: &HostShards<'_>| host.owners.is_empty() || count(host) == Some(most);
        let fit = self.hosts.iter().enumerate();
        fit.filter(|(_, host)| is_fit(host))
            .map(|(place, _)| place)
            .collect()
    }

    /// How many shards each host has when all have been shared: those that several hosts are fit for in even parts.
    fn shares(&self, fit: &[Vec<usize>]) -> Vec<usize> {
        let share = |host: usize| {
            let mut of_so_many = BTreeMap::<usize, usize>::new();
            for hosts in fit.iter().filter(|hosts| hosts.contains(&host)) {
                *of_so_many.entry(hosts.len()).or_default() += 1;
            }
            of_so_many
                .iter()
                .map(|(hosts, shards)| shards.div_ceil(*hosts))
                .sum()
        };
        (0..self.hosts.len()).map(share).collect()
    }
}

/// Each shard is for the hosts that can serve most of its owners. Each of those has as many as the others, or one more: it takes free ones up to that, and
/// beyond it those for which no fit host has room; it gives back, a few at a time, what others are fitter for and what it has beyond its share.
pub fn plan_shards(view: &ShardView<'_>) -> ShardPlan {
    let fit: Vec<Vec<usize>> = (0..view.shards).map(|shard| view.fit_hosts(shard)).collect();
    let shares = view.shares(&fit);
    let has_room = |host: &usize| {
        let held = view.hosts.get(*host).map(|host| host.held);
        held.zip(shares.get(*host))
            .is_some_and(|(held, share)| held < *share)
    };
    let fit_for = |shard: u16| fit.get(usize::from(shard)).map(Vec::as_slice).unwrap_or_default();
    let share = shares.first().copied().unwrap_or_default();
    let held = view.held.len();
    let others_are_fitter = |shard: &u16| !fit_for(*shard).contains(&0);
    let others_have_room = |shard: &u16| fit_for(*shard).iter().any(|host| *host != 0 && has_room(host));
    let unfit = view.held.iter().filter(|shard| others_are_fitter(shard));
    let beyond = view.held.iter().rev();
    let beyond = beyond
        .filter(|shard| !others_are_fitter(shard) && others_have_room(shard))
        .take(held.saturating_sub(share));
    let give_back: Vec<u16> = unfit
        .chain(beyond)
        .take(GIVE_AT_ONCE.saturating_sub(view.leaving))
        .copied()
        .collect();
    if !give_back.is_empty() || held > share {
        let take = Vec::new();
        return ShardPlan { take, give_back };
    }
    let first = view.first.min(view.shards);
    let is_free = |shard: &u16| !view.taken.contains(shard) && !view.held.contains(shard);
    let free = (first..view.shards)
        .chain(0..first)
        .filter(|shard| is_free(shard) && !others_are_fitter(shard));
    let mut room = share - held;
    let take = free.filter(|shard| {
        let is_within = room > 0;
        room = room.saturating_sub(1);
        is_within || !others_have_room(shard)
    });
    ShardPlan {
        take: take.collect(),
        give_back,
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
            // More hosts than shards.
            (9, &[], 0, &[0, 1, 2, 3, 4, 5, 6], 0, &[7], &[]),
            (9, &[7], 0, &[0, 1, 2, 3, 4, 5, 6, 7], 0, &[], &[]),
        ] {
            let (held, taken) = (set(held), set(taken));
            // The others have what it has not, in even parts.
            let all_of_others = taken.difference(&held).count();
            let known: Vec<HostShards<'_>> = (0..hosts)
                .map(|host| HostShards {
                    held: match host {
                        0 => held.len(),
                        _ => (all_of_others + host - 1) / (hosts - 1),
                    },
                    owners: &[],
                })
                .collect();
            let view = ShardView {
                shards: 8,
                hosts: &known,
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

    /// A host of a test: what it has, and how many owners of each shard it can serve.
    #[derive(Debug, Default, Clone)]
    struct SharingHost {
        held: BTreeSet<u16>,
        owners: Vec<u32>,
    }

    impl SharingHost {
        fn known(&self) -> HostShards<'_> {
            HostShards {
                held: self.held.len(),
                owners: &self.owners,
            }
        }
    }

    /// What hosts that decide in turn come to.
    fn settle(hosts: &mut [SharingHost], shards: u16) {
        for _ in 0..40 {
            for index in 0..hosts.len() {
                let taken: BTreeSet<u16> = hosts.iter().flat_map(|host| &host.held).copied().collect();
                let others = (0..hosts.len()).filter(|other| *other != index);
                let known: Vec<HostShards<'_>> = [index]
                    .into_iter()
                    .chain(others)
                    .map(|host| hosts[host].known())
                    .collect();
                let view = ShardView {
                    shards,
                    hosts: &known,
                    held: &hosts[index].held,
                    leaving: 0,
                    taken: &taken,
                    first: u16::try_from(index).unwrap() * 7 % shards,
                };
                let plan = plan_shards(&view);
                let held = &mut hosts[index].held;
                held.extend(plan.take);
                held.retain(|shard| !plan.give_back.contains(shard));
            }
        }
    }

    #[test]
    fn hosts_that_come_and_go_have_all_shards_in_even_shares() {
        const SHARDS: u16 = 64;
        let mut hosts = vec![SharingHost::default()];
        for change in ["come", "come", "come", "go", "come", "go", "go"] {
            if change == "come" {
                hosts.push(SharingHost::default());
            } else {
                hosts.remove(0);
            }
            settle(&mut hosts, SHARDS);
            let share = usize::from(SHARDS).div_ceil(hosts.len());
            let all: BTreeSet<u16> = hosts.iter().flat_map(|host| &host.held).copied().collect();
            assert_eq!(all.len(), usize::from(SHARDS), "{hosts:?}");
            assert_eq!(hosts.iter().map(|host| host.held.len()).sum::<usize>(), all.len());
            assert!(hosts.iter().all(|host| host.held.len() <= share), "{hosts:?}");
        }
    }

    #[test]
    fn shard_is_with_a_host_that_can_serve_most_of_its_owners() {
        const SHARDS: u16 = 8;
        const ALL: [u32; 8] = [2; 8];
        for (case, owners, counts) in [
            (
                "one cannot serve an owner of three",
                vec![[2, 1, 1, 1, 2, 2, 2, 2], ALL],
                [(2, 3), (5, 6)].as_slice(),
            ),
            ("one has nobody's folder", vec![[0; 8], ALL], &[(0, 0), (8, 8)]),
            (
                "nobody can serve one",
                vec![[2, 2, 2, 2, 2, 2, 2, 1]; 2],
                &[(4, 4), (4, 4)],
            ),
            (
                "each has one alone",
                vec![[1, 2, 2, 2, 2, 2, 2, 2], [2, 1, 2, 2, 2, 2, 2, 2]],
                &[(4, 4), (4, 4)],
            ),
            (
                "one of three can serve two shards",
                vec![[2, 2, 0, 0, 0, 0, 0, 0], ALL, ALL],
                &[(0, 2), (3, 4), (3, 4)],
            ),
        ] {
            let mut hosts: Vec<SharingHost> = owners
                .iter()
                .map(|owners| SharingHost {
                    held: BTreeSet::new(),
                    owners: owners.to_vec(),
                })
                .collect();
            // First they do not say what they can serve, and share; then they do.
            let mut silent = vec![SharingHost::default(); hosts.len()];
            settle(&mut silent, SHARDS);
            for (host, before) in hosts.iter_mut().zip(silent) {
                host.held = before.held;
            }
            settle(&mut hosts, SHARDS);
            for shard in 0..SHARDS {
                let most = owners.iter().map(|owners| owners[usize::from(shard)]).max();
                let having: Vec<&SharingHost> =
                    hosts.iter().filter(|host| host.held.contains(&shard)).collect();
                assert_eq!(having.len(), 1, "{case}: {shard} {hosts:?}");
                assert_eq!(
                    Some(having[0].owners[usize::from(shard)]),
                    most,
                    "{case}: {hosts:?}"
                );
            }
            for (host, (least, most)) in hosts.iter().zip(counts) {
                assert!((*least..=*most).contains(&host.held.len()), "{case}: {hosts:?}");
            }
            // It dies, and who is left serves whom it can.
            hosts.pop();
            settle(&mut hosts, SHARDS);
            let all: BTreeSet<u16> = hosts.iter().flat_map(|host| &host.held).copied().collect();
            assert_eq!(all.len(), usize::from(SHARDS), "{case}: {hosts:?}");
        }
    }
}
