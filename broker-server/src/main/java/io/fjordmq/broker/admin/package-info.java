/**
 * Status and commands for operators. {@code ClusterView} collects the state of the cluster's nodes
 * and ranges; {@code ClusterCommands} executes commands from the control folder. Commands for voter
 * counts, nodes and ranges each have their own class.
 */
@NullMarked
package io.fjordmq.broker.admin;

import org.jspecify.annotations.NullMarked;
