//! A child's stdout and stderr, cut into lines.

use rustix::io::ioctl_fionread;
use std::os::fd::AsFd;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};

/// Longest line that is kept in one piece ("CloudWatch Logs quotas": 256 KiB an event).
const LINE_LIMIT: usize = 256 * 1024;

/// One stream of the child, read without losing part lines.
#[derive(Debug)]
pub(super) struct Pipe<R> {
    reader: Option<R>,
    partial: Vec<u8>,
}

/// Both streams.
#[derive(Debug)]
pub(super) struct Output {
    stdout: Pipe<ChildStdout>,
    stderr: Pipe<ChildStderr>,
}

impl Output {
    pub(super) fn new(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Self {
        Self {
            stdout: Pipe { reader: stdout, partial: Vec::new() },
            stderr: Pipe { reader: stderr, partial: Vec::new() },
        }
    }

    /// Waits for the next lines. Never returns once both streams have ended. Safe to cancel.
    pub(super) async fn lines(&mut self) -> Vec<String> {
        tokio::select! {
            lines = self.stdout.lines() => lines,
            lines = self.stderr.lines() => lines,
        }
    }

    /// Lines that the child has written already, and nothing later.
    pub(super) async fn drain(&mut self) -> Vec<String> {
        let mut lines = self.stdout.drain().await;
        lines.extend(self.stderr.drain().await);
        lines
    }
}

impl<R: AsyncRead + AsFd + Unpin> Pipe<R> {
    async fn lines(&mut self) -> Vec<String> {
        loop {
            let Some(reader) = &mut self.reader else { return std::future::pending().await };
            match reader.read_buf(&mut self.partial).await {
                Ok(0) | Err(_) => {
                    self.reader = None;
                    let rest = std::mem::take(&mut self.partial);
                    if !rest.is_empty() {
                        return vec![text(&rest)];
                    }
                }
                Ok(_) => {
                    let lines = self.cut();
                    if !lines.is_empty() {
                        return lines;
                    }
                }
            }
        }
    }

    /// The kernel says how much is in the pipe; reading that much cannot hang.
    async fn drain(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(reader) = &mut self.reader {
            if !ioctl_fionread(reader.as_fd()).is_ok_and(|waiting| waiting > 0) {
                break;
            }
            match reader.read_buf(&mut self.partial).await {
                Ok(0) | Err(_) => self.reader = None,
                Ok(_) => lines.extend(self.cut()),
            }
        }
        lines
    }

    fn cut(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            lines.push(text(&line));
        }
        if self.partial.len() > LINE_LIMIT {
            lines.push(text(&std::mem::take(&mut self.partial)));
        }
        lines
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}
