//! Tasks on both runtimes of tokio.

use libraries::tasks::{count, count_badly, sum, wait_for_sleeper};

#[tokio::test]
async fn tasks_of_one_thread_count() {
    assert_eq!(count(2).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_two_threads_count() {
    assert_eq!(count(2).await, 2);
}

#[tokio::test]
async fn numbers_are_summed_up() {
    assert_eq!(sum(3).await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_are_summed_up_by_two_threads() {
    assert_eq!(sum(3).await, 3);
}

#[tokio::test]
async fn a_sleeper_wakes() {
    assert!(wait_for_sleeper().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sleeper_wakes_on_another_thread() {
    assert!(wait_for_sleeper().await);
}

/// Fails under some schedules: `cargo atropos explore -- --ignored` finds one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore]
async fn counts_get_lost() {
    assert_eq!(count_badly(2).await, 2);
}

/// Both ends are in this process, so nobody outside is waited for.
#[tokio::test]
async fn a_socket_connects() {
    use tokio::net::{TcpListener, TcpStream};
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (here, there) = tokio::join!(TcpStream::connect(address), listener.accept());
    assert!(here.is_ok() && there.is_ok());
}
