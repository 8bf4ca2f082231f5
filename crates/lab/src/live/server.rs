//! The server: a thread that accepts connections, and one for each of a limited number of connections.
//!
//! Models: one request and one response per connection, each within a few seconds.
//!
//! Invariants: it listens only on the loopback address; at the maximum number of connections a new one closes the
//! oldest; dropping the server ends all its threads and closes the port, whatever its clients do.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::answer::{LONGEST_HEAD, Refusal, Site, answer};

/// Maximum number of connections at a time.
const MAX_CONNECTIONS: usize = 16;
/// Interval between attempts to accept connections, and the maximum number accepted in one attempt.
const TICK: Duration = Duration::from_millis(20);
const AT_ONCE: usize = 16;
/// Time limit for receiving a request and sending its response.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long, and how much, is read and discarded after a response: closing with unread data could lose the response.
const PARTING: Duration = Duration::from_millis(500);
const LEFT_OVER: usize = 64 * 1024;

/// See the module.
pub struct Server {
    site: Arc<Site>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on a port, or on a free one if it is 0; `site` is called with the port.
    pub fn open(port: u16, site: impl FnOnce(u16) -> Site) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let site = Arc::new(site(listener.local_addr()?.port()));
        let stop = Arc::new(AtomicBool::new(false));
        let (for_thread, stopped) = (Arc::clone(&site), Arc::clone(&stop));
        let thread = thread::Builder::new().name("live".to_owned());
        let thread = thread.spawn(move || take(&listener, &for_thread, &stopped))?;
        Ok(Server { site, stop, thread: Some(thread) })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}:{}/{}/", Ipv4Addr::LOCALHOST, self.site.port, self.site.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has no effect on the run.
            let _ = thread.join();
        }
    }
}

/// A connection and the thread that serves it.
struct Connection {
    stream: TcpStream,
    thread: JoinHandle<()>,
}

impl Connection {
    /// Closes the connection, whatever its thread waits for.
    fn leave(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        let _ = self.thread.join();
    }
}

/// Accepts connections until `stop` is set.
fn take(listener: &TcpListener, site: &Arc<Site>, stop: &AtomicBool) {
    let mut connections: VecDeque<Connection> = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        connections.retain(|connection| !connection.thread.is_finished());
        // If accepting fails, for whatever reason, the next attempt may succeed.
        for (stream, _) in (0..AT_ONCE).map_while(|_| listener.accept().ok()) {
            if connections.len() >= MAX_CONNECTIONS
                && let Some(longest) = connections.pop_front()
            {
                longest.leave();
            }
            connections.extend(welcome(stream, site));
        }
        thread::sleep(TICK);
    }
    connections.into_iter().for_each(Connection::leave);
}

/// Starts a thread that serves a connection; `None` if the operating system refuses one.
fn welcome(stream: TcpStream, site: &Arc<Site>) -> Option<Connection> {
    stream.set_nonblocking(false).ok()?;
    let own = stream.try_clone().ok()?;
    let site = Arc::clone(site);
    // An error of a client's connection has no effect on the run.
    let serve = move || drop(converse(stream, &site));
    let thread = thread::Builder::new().name("live answer".to_owned()).spawn(serve).ok()?;
    Some(Connection { stream: own, thread })
}

/// Reads a request and sends the response.
fn converse(mut stream: TcpStream, site: &Site) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    let bytes = read_request(&mut stream, site, until)?;
    write_answer(&mut stream, &bytes, until)?;
    stream.shutdown(Shutdown::Write)?;
    let until = until.min(Instant::now() + PARTING);
    let mut rest = [0; 4096];
    let mut left = LEFT_OVER;
    while left > 0 {
        stream.set_read_timeout(Some(time_left(until)?))?;
        match stream.read(&mut rest)? {
            0 => break,
            count => left = left.saturating_sub(count),
        }
    }
    Ok(())
}

/// Reads a request and returns its response.
fn read_request(stream: &mut TcpStream, site: &Site, until: Instant) -> io::Result<Vec<u8>> {
    let mut head = [0; LONGEST_HEAD];
    let mut length = 0;
    loop {
        stream.set_read_timeout(Some(time_left(until)?))?;
        let count = stream.read(&mut head[length..])?;
        length += count;
        if let Some(bytes) = answer(&head[..length], site) {
            return Ok(bytes);
        }
        if count == 0 {
            return Ok(Refusal::Malformed.bytes());
        }
    }
}

fn write_answer(stream: &mut TcpStream, mut bytes: &[u8], until: Instant) -> io::Result<()> {
    while !bytes.is_empty() {
        stream.set_write_timeout(Some(time_left(until)?))?;
        match stream.write(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = &bytes[count..],
        }
    }
    Ok(())
}

/// The time until an instant, or an error if it has passed.
fn time_left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
