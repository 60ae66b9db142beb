package io.fjordmq.inbox;

/** Names the inbox of a client. */
public record InboxId(String tenant, String clientId) {}
