package io.fjordmq.inbox;

import io.fjordmq.inbox.Attachment.Discarded;
import org.jspecify.annotations.Nullable;

/**
 * What a discard found.
 *
 * @param claim the place of this CONNECT among those of the client
 * @param discarded the inbox that is no more, whose routes have to go; null if there was none
 */
public record DiscardResult(ConnectOrder connectOrder, @Nullable Discarded discarded) {}
