package io.fjordmq.inbox;

/**
 * The right to act on an inbox, given by an attach and lost at the next one.
 *
 * @param id whose
 * @param incarnation raised when the inbox is made anew (clean start, expiry); unique for the id
 *     for ever
 * @param epoch fencing number, raised by every attach
 */
public record InboxHandle(InboxId id, long incarnation, long epoch) {}
