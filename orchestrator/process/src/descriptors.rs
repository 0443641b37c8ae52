//! Descriptors that one process passes to another.
//!
//! What: [`pass_descriptor`] and [`receive_descriptor`], each with one byte that it comes with. Why: who may open something is not who uses it.
//! Not here: connecting (`broker`), which descriptor is passed to whom.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
};

/// Passes a descriptor over a socket of this machine.
///
/// # Errors
/// The socket does not take it.
pub fn pass_descriptor(socket: impl AsFd, passed: impl AsFd) -> io::Result<()> {
    let descriptors = [passed.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let sent = sendmsg(socket, &[IoSlice::new(&[1])], &mut control, SendFlags::NOSIGNAL)?;
    if sent == 1 {
        Ok(())
    } else {
        Err(io::ErrorKind::WriteZero.into())
    }
}

/// The descriptor that comes next over a socket of this machine.
///
/// # Errors
/// The socket ended, or something else came.
pub fn receive_descriptor(socket: impl AsFd) -> io::Result<OwnedFd> {
    let mut byte = [0];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut byte)],
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
    match passed {
        Some(descriptor) if received.bytes == 1 => Ok(descriptor),
        Some(_) | None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
