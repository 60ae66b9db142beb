package io.fjordmq.broker.query;

import io.fjordmq.inbox.SessionPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the list of clients.
 *
 * @param next where the next page starts; null if this is the last page
 * @param problems what is missing and why, for example nodes that did not respond; empty if the
 *     page is complete
 */
public record ClientPage(
    List<ClientRow> clients, @Nullable SessionPosition next, List<String> problems) {}
