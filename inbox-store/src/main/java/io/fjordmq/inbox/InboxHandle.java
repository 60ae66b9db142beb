package io.fjordmq.inbox;

/**
 * The right to act on an inbox. An attach grants it and the next attach revokes it.
 *
 * @param id the inbox
 * @param incarnation identifies one inbox of the client; never reused after a clean start or expiry
 * @param epoch fencing number, incremented by every attach
 */
public record InboxHandle(InboxId id, long incarnation, long epoch) {}
