package io.fjordmq.inbox;

import io.fjordmq.inbox.Attachment.Discarded;
import org.jspecify.annotations.Nullable;

/**
 * The result of a discard.
 *
 * @param connectOrder connect order of this CONNECT
 * @param discarded the inbox that was discarded, whose routes must be removed; null if there was
 *     none
 */
public record DiscardResult(ConnectOrder connectOrder, @Nullable Discarded discarded) {}
