//! Descriptors that one process passes to another.
//!
//! What: [`pass_descriptor`] and [`receive_descriptor`], each with one byte that it comes with; three at once with the message that they belong to
//! ([`pass_stdio`], [`receive_stdio`]). Why: who may open something is not who uses it.
//! Not here: connecting (`broker`), which descriptor is passed to whom.

use rustix::{
    io::retry_on_intr,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, recvmsg, sendmsg,
    },
};
use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

/// Passes a descriptor over a socket of this machine.
///
/// # Errors
/// The socket does not take it.
pub fn pass_descriptor(socket: impl AsFd, passed: impl AsFd) -> io::Result<()> {
    pass(socket, &[1], &[passed.as_fd()])
}

/// The standard input, output and error of a process to come.
pub(crate) type Stdio = [OwnedFd; 3];

/// Passes a message and what it is about over a socket of this machine that keeps messages apart.
///
/// # Errors
/// The socket does not take it.
pub(crate) fn pass_stdio(socket: impl AsFd, message: &[u8], passed: &Stdio) -> io::Result<()> {
    pass(socket, message, &passed.each_ref().map(AsFd::as_fd))
}

fn pass(socket: impl AsFd, message: &[u8], passed: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(passed)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let parts = [IoSlice::new(message)];
    let sent = retry_on_intr(|| sendmsg(&socket, &parts, &mut control, SendFlags::NOSIGNAL))?;
    if sent == message.len() {
        Ok(())
    } else {
        Err(io::ErrorKind::WriteZero.into())
    }
}

/// The message that comes next over such a socket, with its three descriptors; `None`: the other end is closed.
///
/// # Errors
/// The socket failed, or something else came.
pub(crate) fn receive_stdio(socket: impl AsFd, room: &mut [u8]) -> io::Result<Option<(&[u8], Stdio)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = retry_on_intr(|| {
        let parts = &mut [IoSliceMut::new(room)];
        recvmsg(&socket, parts, &mut control, RecvFlags::CMSG_CLOEXEC)
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let passed = control.drain().find_map(|message| {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            Stdio::try_from(descriptors.collect::<Vec<_>>()).ok()
        } else {
            None
        }
    });
    match (passed, room.get(..received.bytes)) {
        (Some(stdio), Some(message)) => Ok(Some((message, stdio))),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The descriptor that comes next over a socket of this machine.
///
/// # Errors
/// The socket ended, or something else came.
pub fn receive_descriptor(socket: impl AsFd) -> io::Result<OwnedFd> {
    let mut early = Vec::new();
    let descriptor = receive_descriptor_after(socket, &mut early)?;
    if early.is_empty() {
        Ok(descriptor)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// The same on a socket over which other bytes come as well: those before it are added to `early`, and those after it stay.
///
/// # Errors
/// The socket ended.
pub(crate) fn receive_descriptor_after(socket: impl AsFd, early: &mut Vec<u8>) -> io::Result<OwnedFd> {
    loop {
        let mut bytes = [0; 4096];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let received = recvmsg(
            &socket,
            &mut [IoSliceMut::new(&mut bytes)],
            &mut control,
            RecvFlags::CMSG_CLOEXEC,
        )?;
        let passed = control.drain().find_map(|message| {
            if let RecvAncillaryMessage::ScmRights(mut descriptors) = message {
                descriptors.next()
            } else {
                None
            }
        });
        let came = bytes.get(..received.bytes).unwrap_or_default();
        // The kernel gives nothing on that follows the byte of a descriptor.
        match (passed, came.split_last()) {
            (Some(descriptor), Some((_, before))) => {
                early.extend_from_slice(before);
                return Ok(descriptor);
            }
            (None, Some(_)) => early.extend_from_slice(came),
            (Some(_) | None, None) => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read as _, io::Write as _, os::unix::net::UnixStream};

    #[test]
    fn descriptor_is_found_between_other_bytes_and_none_of_them_is_lost() {
        let (mut ours, mut theirs) = UnixStream::pair().unwrap();
        let (passed, mut far) = UnixStream::pair().unwrap();
        ours.write_all(b"an").unwrap();
        ours.write_all(b" order").unwrap();
        pass_descriptor(&ours, &passed).unwrap();
        ours.write_all(b" and more").unwrap();
        let mut early = b"half ".to_vec();
        let descriptor = receive_descriptor_after(&theirs, &mut early).unwrap();
        assert_eq!(early, b"half an order");
        UnixStream::from(descriptor).write_all(b"x").unwrap();
        let mut byte = [0];
        far.read_exact(&mut byte).unwrap();
        assert_eq!(&byte, b"x");
        let mut rest = [0; 9];
        theirs.read_exact(&mut rest).unwrap();
        assert_eq!(&rest, b" and more");
        ours.write_all(b"end").unwrap();
        drop(ours);
        assert!(receive_descriptor_after(&theirs, &mut early).is_err());
    }
}
