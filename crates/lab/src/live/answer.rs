//! Responses to requests: the page, the state, or a refusal.
//!
//! Models: GET and HEAD of two paths, HTTP/1.0 and 1.1, one request to a connection.
//! Leaves out: everything else.
//!
//! Invariants: handling a request does not change the run; a request under a host name that is not the loopback's is
//! refused, so that a foreign page cannot make the browser send requests for it (DNS rebinding); the response to an
//! unknown path does not depend on whether the token in it is right.
//!
//! Source: RFC 9110 (status codes), RFC 9112 (messages), RFC 6585 (431).

use std::sync::Arc;

use super::live_state::LiveState;
use super::token;

/// Maximum size of the head of a request in bytes, and maximum number of fields in it.
pub const LONGEST_HEAD: usize = 8 * 1024;
const MOST_FIELDS: usize = 64;

/// Accepted host names of this machine.
const NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];
/// The port that may be omitted.
const DEFAULT_PORT: u16 = 80;

/// Header fields of every response: it is not cached, its type is not guessed, its address is not passed on, and it is
/// not embedded in other pages.
const FIELDS: &str = "Cache-Control: no-store\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Connection: close\r\n";

/// What is served.
pub struct Site {
    /// The port.
    pub port: u16,
    /// The secret part of the address.
    pub token: String,
    /// The page.
    pub page: String,
    /// The state.
    pub live_state: Arc<LiveState>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a valid request.
    Malformed,
    /// Its host is not this machine.
    ForeignHost,
    /// There is no such path.
    NotFound,
    /// The method is neither GET nor HEAD.
    NotAllowed,
    /// Its head is too long.
    TooLong,
}

impl Refusal {
    fn line(self) -> (&'static str, &'static str) {
        match self {
            Refusal::Malformed => ("400 Bad Request", ""),
            Refusal::ForeignHost => ("403 Forbidden", ""),
            Refusal::NotFound => ("404 Not Found", ""),
            Refusal::NotAllowed => ("405 Method Not Allowed", "Allow: GET, HEAD\r\n"),
            Refusal::TooLong => ("431 Request Header Fields Too Large", ""),
        }
    }

    /// The response.
    pub fn bytes(self) -> Vec<u8> {
        let (status, more) = self.line();
        message(status, more, "text/plain; charset=utf-8", &format!("{status}\n"), false)
    }
}

/// The response to a request; `None` while its head is incomplete.
pub fn answer(head: &[u8], site: &Site) -> Option<Vec<u8>> {
    match read(head, site) {
        Ok(asked) => asked.map(|asked| asked.bytes(site)),
        Err(refusal) => Some(refusal.bytes()),
    }
}

/// The parsed request.
struct Asked {
    what: What,
    head_alone: bool,
}

enum What {
    Page,
    State,
}

fn read(head: &[u8], site: &Site) -> Result<Option<Asked>, Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) if head.len() >= LONGEST_HEAD => return Err(Refusal::TooLong),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLong),
        Err(_) => return Err(Refusal::Malformed),
    }
    let hosts = request.headers.iter().filter(|field| field.name.eq_ignore_ascii_case("host"));
    let [host] = hosts.map(|field| field.value).collect::<Vec<_>>()[..] else {
        return Err(Refusal::Malformed);
    };
    if !is_own(host, site.port) {
        return Err(Refusal::ForeignHost);
    }
    let head_alone = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(Refusal::NotAllowed),
    };
    let what = find(request.path.unwrap_or_default(), &site.token).ok_or(Refusal::NotFound)?;
    Ok(Some(Asked { what, head_alone }))
}

/// Whether a host is one of this machine's names, with this port.
fn is_own(host: &[u8], port: u16) -> bool {
    let is = |name: &str| {
        host.eq_ignore_ascii_case(format!("{name}:{port}").as_bytes())
            || (port == DEFAULT_PORT && host.eq_ignore_ascii_case(name.as_bytes()))
    };
    NAMES.into_iter().any(is)
}

/// The resource at a path.
fn find(path: &str, token: &str) -> Option<What> {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let (first, rest) = path.strip_prefix('/')?.split_once('/')?;
    let what = match rest {
        "" => What::Page,
        "state.json" => What::State,
        _ => return None,
    };
    token::is_same(token, first).then_some(what)
}

impl Asked {
    fn bytes(self, site: &Site) -> Vec<u8> {
        let (kind, body) = match self.what {
            What::Page => ("text/html; charset=utf-8", &site.page),
            What::State => {
                let state =
                    serde_json::to_string(&*site.live_state.ask()).expect("numbers and texts are JSON");
                return message("200 OK", "", "application/json", &state, self.head_alone);
            }
        };
        message("200 OK", "", kind, body, self.head_alone)
    }
}

fn message(status: &str, more: &str, kind: &str, body: &str, head_alone: bool) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}{FIELDS}\r\n"
    );
    let mut bytes = head.into_bytes();
    if !head_alone {
        bytes.extend_from_slice(body.as_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn site() -> Site {
        Site { port: 4_000, token: TOKEN.to_owned(), page: "<p>".to_owned(), live_state: Arc::default() }
    }

    /// The response to a request for a path.
    fn to(method: &str, path: &str, host: &str) -> String {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        String::from_utf8(answer(head.as_bytes(), &site()).expect("it is whole")).expect("it is a text")
    }

    #[test]
    fn the_page_and_the_state_are_served_with_the_right_token() {
        for host in ["127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000", "[::1]:4000"] {
            let page = to("GET", &format!("/{TOKEN}/"), host);
            assert!(page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("\r\n\r\n<p>"), "{page}");
        }
        let state = to("GET", &format!("/{TOKEN}/state.json?now"), "localhost:4000");
        let (head, body) = state.split_once("\r\n\r\n").expect("a head ends so");
        assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
        assert!(
            head.contains("no-store") && head.contains("nosniff") && head.contains("no-referrer"),
            "{head}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(body).expect("it is JSON")["number"], 0);
        let head_only = to("HEAD", &format!("/{TOKEN}/"), "localhost:4000");
        assert!(
            head_only.contains("Content-Length: 3\r\n") && head_only.ends_with("\r\n\r\n"),
            "{head_only}"
        );
    }

    #[test]
    fn everything_else_is_refused_without_revealing_anything() {
        let status = |answer: String| answer[9..12].to_owned();
        let own = "127.0.0.1:4000";
        let right = format!("/{TOKEN}/");
        for host in ["evil.example:4000", "127.0.0.1", "127.0.0.1:4001", "127.0.0.1:4000.evil.example", ""] {
            assert_eq!(status(to("GET", &right, host)), "403", "{host}");
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
            assert_eq!(status(to(method, &right, own)), "405", "{method}");
        }
        let missing = to("GET", "/0/", own);
        for path in
            ["/", "/state.json", "/0/state.json", &right[1..], &right[..33], &format!("{right}x"), "*"]
        {
            assert_eq!(to("GET", path, own), missing, "{path}");
        }
        assert_eq!(&missing[9..12], "404");
    }

    #[test]
    fn malformed_requests_are_refused() {
        let found = |head: &[u8]| {
            answer(head, &site()).map(|bytes| String::from_utf8_lossy(&bytes[9..12]).into_owned())
        };
        for head in [
            &b"\x16\x03\x01\x02\x00\x01"[..],
            b"hello\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
        ] {
            assert_eq!(found(head).as_deref(), Some("400"), "{head:?}");
        }
        let twice = b"GET / HTTP/1.1\r\nHost: localhost:4000\r\nHost: evil.example\r\n\r\n";
        assert_eq!(found(twice).as_deref(), Some("400"));
        assert_eq!(found(b"GET / HT"), None, "there may be more to come");
        let mut long = b"GET / HTTP/1.1\r\nX: ".to_vec();
        long.resize(LONGEST_HEAD, b'x');
        assert_eq!(found(&long).as_deref(), Some("431"));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(MOST_FIELDS + 1));
        assert_eq!(found(many.as_bytes()).as_deref(), Some("431"));
    }
}
