package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.admin.NodeReports;
import io.fjordmq.broker.alarms.AlarmQueries;
import io.fjordmq.broker.backup.Backups;
import io.fjordmq.broker.bans.Bans;
import io.fjordmq.broker.events.ClientEventQueries;
import io.fjordmq.broker.logging.ClusterLogLevels;
import io.fjordmq.broker.monitor.MonitorQueries;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.query.SlowSubscriptionQueries;
import io.fjordmq.broker.query.TopicMetricQueries;
import io.fjordmq.broker.security.LoginDryRun;
import io.fjordmq.broker.security.ProviderViews;
import io.fjordmq.broker.settings.RuntimeSettings;
import io.fjordmq.broker.topicmetrics.TopicMetrics;
import io.fjordmq.broker.trace.TraceLogs;
import io.fjordmq.broker.trace.Traces;
import io.fjordmq.broker.userdb.UserDatabase;

/**
 * The parts of the node that the resources use.
 *
 * @param version the version of the program
 * @param view the nodes and ranges
 * @param reports status reports of the nodes
 * @param commands changes to the cluster
 * @param nodeOperations requests to single nodes
 * @param settings the configuration
 * @param accounts the accounts of the API
 * @param bans the banned clients
 * @param users the users and rules of MQTT clients
 * @param queries clients and messages of the whole cluster
 * @param events recent events of clients
 * @param logLevels levels of loggers
 * @param traces the traces of the cluster
 * @param traceLogs the trace files of all nodes
 * @param node the id of this node
 * @param names the names of the nodes
 * @param alarms the alarms of all nodes
 * @param monitor the measured values of all nodes
 * @param slowSubscriptions the slow subscriptions of all nodes
 * @param topicMetrics the topics whose messages are counted
 * @param topicReadings the messages of these topics on all nodes
 * @param providers the authentication and authorization providers of this node
 * @param loginTrial tests these providers
 * @param backups the backups of the cluster that this node makes
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
    UserDatabase users,
    ClusterQueries queries,
    ClientEventQueries events,
    ClusterLogLevels logLevels,
    Traces traces,
    TraceLogs traceLogs,
    String node,
    NodeNames names,
    AlarmQueries alarms,
    MonitorQueries monitor,
    SlowSubscriptionQueries slowSubscriptions,
    TopicMetrics topicMetrics,
    TopicMetricQueries topicReadings,
    ProviderViews providers,
    LoginDryRun loginTrial,
    Backups backups) {}
