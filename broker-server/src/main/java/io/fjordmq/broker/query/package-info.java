/**
 * Queries for operators about the whole cluster: which clients and sessions exist, what a client
 * does and what is in its queue. Also carries out changes such as kicks.
 *
 * <p>Every node answers for its own clients ({@link io.fjordmq.broker.query.NodeClients}), to
 * itself and through the peer service {@code query} to others. {@link
 * io.fjordmq.broker.query.ClusterQueries} asks all live nodes and the inbox store, and merges their
 * sorted pages ({@link io.fjordmq.broker.query.PagedMerge}). A response that lacks a node or a
 * range names it. Nothing here blocks; work that takes more than a few microseconds runs on the
 * threads {@code query-*}, and only the state of clients on a page is read on their event loops.
 */
@NullMarked
package io.fjordmq.broker.query;

import org.jspecify.annotations.NullMarked;
