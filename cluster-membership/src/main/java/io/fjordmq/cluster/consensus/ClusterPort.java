package io.fjordmq.cluster.consensus;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A node's Raft traffic with others.
 *
 * @param bind where to listen, port 0 for any; null to only call others
 * @param addresses where the others are
 */
public record ClusterPort(
    @Nullable InetSocketAddress bind, AddressBook addresses, TransportSettings settings) {}
