package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.admin.NodeReports;
import io.fjordmq.broker.bans.Bans;
import io.fjordmq.broker.events.ClientEventQueries;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.settings.RuntimeSettings;

/**
 * The parts of the node that the resources use.
 *
 * @param version the version of the program
 * @param view the nodes and ranges
 * @param reports what the nodes report about themselves
 * @param commands changes to the cluster
 * @param nodeOperations requests to single nodes
 * @param settings the configuration
 * @param accounts the accounts of the API
 * @param bans the banned clients
 * @param queries clients and messages of the whole cluster
 * @param events recent events of clients
 * @param node the id of this node
 */
public record RestServices(
    String version,
    ClusterView view,
    NodeReports reports,
    ClusterCommands commands,
    NodeOperations nodeOperations,
    RuntimeSettings settings,
    Accounts accounts,
    Bans bans,
    ClusterQueries queries,
    ClientEventQueries events,
    String node) {}
