/**
 * What operators see and change: {@code ClusterView} collects the nodes and ranges of the cluster,
 * {@code ClusterCommands} carries out commands from the control folder: those for voter counts,
 * nodes and ranges are in a class each.
 */
@NullMarked
package io.fjordmq.broker.admin;

import org.jspecify.annotations.NullMarked;
