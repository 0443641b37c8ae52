//! Posts of health apps to a running service.
//!
//! What: 202 means that the night is on disk, also after a kill, and a repeat tells nothing new. Not here: the format (`agents`), who may (`surfaces/tests`).

use crate::support::Service;
use chrono::{Duration, Utc};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

fn start(dir: &TempDir) -> Service {
    let home = dir.path().join("home.toml");
    fs::write(&home, "zone = \"UTC\"\n").unwrap();
    Service::start(&home, &dir.path().join("data"))
}

#[test]
fn a_posted_night_survives_kill_9_and_a_repeat_is_known() {
    let dir = tempfile::tempdir().unwrap();
    let service = start(&dir);
    let now = Utc::now();
    let at = |minutes: i64| {
        let at = now - Duration::minutes(minutes);
        at.format("%Y-%m-%d %H:%M:00 +0000").to_string()
    };
    let stage = |value: &str, from: i64, until: i64| json!({ "startDate": at(from), "endDate": at(until), "value": value, "source": "Watch" });
    let post = json!({ "data": { "workouts": [{}], "metrics": [
        { "name": "heart_rate", "units": "count/min", "data": [{ "Min": 50, "Avg": 55, "Max": 60 }] },
        { "name": "sleep_analysis", "units": "hr", "data": [stage("Core", 500, 300), stage("REM", 270, 60), stage("Awake", 300, 270), 7] },
    ] } });
    let expected = json!({ "read": 2, "refused": 0, "broken": 1, "ahead": 0, "too_old": 0, "unused": { "heart_rate": 1, "workouts": 1 } });
    assert_eq!(
        service.request("POST", "/v1/health-auto-export", Some(&post)),
        (202, expected.clone())
    );
    service.kill();

    let service = start(&dir);
    let (_, page) = service.request("GET", "/body", None);
    // 200 and 210 minutes.
    assert!(page.as_str().unwrap().contains("6 h 50"), "{page}");
    assert_eq!(
        service.request("POST", "/v1/health-auto-export", Some(&post)),
        (202, expected)
    );
    let (status, refused) =
        service.request("POST", "/v1/health-auto-export", Some(&json!({ "metrics": [] })));
    assert_eq!((status, &refused["code"]), (400, &json!("WEB-007")), "{refused}");
}

#[test]
fn a_night_of_health_connect_survives_kill_9_and_what_the_app_invents_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let service = start(&dir);
    let now = Utc::now();
    let at = |minutes: i64| {
        let at = now - Duration::minutes(minutes);
        at.format("%Y-%m-%dT%H:%M:00Z").to_string()
    };
    let stage = |stage: &str, from: i64, until: i64| json!({ "stage": stage, "start_time": at(from), "end_time": at(until), "duration_seconds": 60 * (from - until) });
    let post = |is_test: bool| {
        json!({
            "timestamp": at(0), "app_version": "1.9.19", "test": is_test, "steps": [{}, {}],
            "sleep": [{
                "session_end_time": at(60), "duration_seconds": 26_400, "metadata": { "data_origin": "com.example.watch" },
                "stages": [stage("4", 500, 300), stage("1", 300, 270), stage("6", 270, 60)],
            }],
        })
    };
    let none =
        json!({ "read": 0, "refused": 0, "broken": 0, "ahead": 0, "too_old": 0, "unused": { "test": 3 } });
    assert_eq!(
        service.request("POST", "/v1/health-connect", Some(&post(true))),
        (202, none)
    );
    let read =
        json!({ "read": 2, "refused": 0, "broken": 0, "ahead": 0, "too_old": 0, "unused": { "steps": 2 } });
    let send = |service: &Service| {
        let sent = service.request("POST", "/v1/health-connect", Some(&post(false)));
        assert_eq!(sent, (202, read.clone()));
    };
    send(&service);
    service.kill();

    let service = start(&dir);
    send(&service);
    let (_, page) = service.request("GET", "/body", None);
    // 200 and 210 minutes.
    assert!(page.as_str().unwrap().contains("6 h 50"), "{page}");
}
