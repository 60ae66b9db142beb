package io.fjordmq.broker.query;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the list of clients.
 *
 * @param next the cursor for the next page; null if this is the last page
 * @param problems what is missing and why, for example nodes that did not respond; empty if the
 *     page is complete
 */
public record ClientPage(List<ClientRow> clients, @Nullable String next, List<String> problems) {}
