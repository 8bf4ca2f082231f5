//! The server: a thread that takes connections, and one for each of the few that there may be at a time.
//!
//! Models: one request and one answer to a connection, each within a few seconds.
//!
//! Invariants: it listens on the loopback address alone; who is slow or silent gives way to who comes later; dropping the
//! server ends all its threads and closes the port, whatever its clients do.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::answer::{LONGEST_HEAD, Refusal, Site, answer};

/// Connections at a time.
const MOST_GUESTS: usize = 16;
/// Connections are looked for this often, and so many are taken at once.
const TICK: Duration = Duration::from_millis(20);
const AT_ONCE: usize = 16;
/// Within this time a request must have come and its answer be taken.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long, and how much, is read and thrown away after an answer, so that it is not lost with what was left unread.
const PARTING: Duration = Duration::from_millis(500);
const LEFT_OVER: usize = 64 * 1024;

/// See the module.
pub struct Server {
    site: Arc<Site>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens at a port, or at one that is free for 0; what is served is made once that is known.
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

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://{}:{}/{}/", Ipv4Addr::LOCALHOST, self.site.port, self.site.token)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // That it panicked is nobody's concern any more.
            let _ = thread.join();
        }
    }
}

/// A connection and who answers it.
struct Connection {
    stream: TcpStream,
    thread: JoinHandle<()>,
}

impl Connection {
    /// Ends the connection, whatever it waits for.
    fn leave(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        let _ = self.thread.join();
    }
}

/// Takes connections until told to stop.
fn take(listener: &TcpListener, site: &Arc<Site>, stop: &AtomicBool) {
    let mut guests: VecDeque<Connection> = VecDeque::new();
    while !stop.load(Ordering::Relaxed) {
        guests.retain(|guest| !guest.thread.is_finished());
        // Where the system refuses, for whatever reason, it may not the next time.
        for (stream, _) in (0..AT_ONCE).map_while(|_| listener.accept().ok()) {
            if guests.len() >= MOST_GUESTS
                && let Some(longest) = guests.pop_front()
            {
                longest.leave();
            }
            guests.extend(welcome(stream, site));
        }
        thread::sleep(TICK);
    }
    guests.into_iter().for_each(Connection::leave);
}

/// Has a connection answered; none where the system has no room for it.
fn welcome(stream: TcpStream, site: &Arc<Site>) -> Option<Connection> {
    stream.set_nonblocking(false).ok()?;
    let own = stream.try_clone().ok()?;
    let site = Arc::clone(site);
    // A client that goes away is no concern of anybody.
    let serve = move || drop(converse(stream, &site));
    let thread = thread::Builder::new().name("live answer".to_owned()).spawn(serve).ok()?;
    Some(Connection { stream: own, thread })
}

/// Hears a request and answers it.
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

/// The answer to what is said.
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

/// The time until an instant, or an error where it has come.
fn time_left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}
