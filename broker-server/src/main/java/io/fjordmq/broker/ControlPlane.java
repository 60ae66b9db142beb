package io.fjordmq.broker;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.bans.Bans;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.settings.RuntimeSettings;
import io.fjordmq.broker.topicmetrics.TopicMetrics;
import java.util.List;

/**
 * What operators decide for the whole cluster: accounts, bans, changed settings and registered
 * topics. The metadata group replicates all of it, and every node follows.
 */
final class ControlPlane implements ShutdownSequence.Composite {
  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final RuntimeSettings settings;
  private final Accounts accounts;
  private final Bans bans;
  private final TopicMetrics topicMetrics;

  /** Starts following the metadata. Does not block. */
  static ControlPlane open(LoadedConfig loaded, ClusterNode node, Observers observers) {
    return new ControlPlane(loaded, node, observers);
  }

  private ControlPlane(LoadedConfig loaded, ClusterNode node, Observers observers) {
    BrokerConfig config = loaded.config();
    try {
      settings =
          add(
              "settings",
              RuntimeSettings.open(
                  new RuntimeSettings.Dependencies(
                      loaded, node.metadata(), node.membership()::write)));
      accounts =
          add(
              "accounts",
              Accounts.open(
                  config.apiConfig(),
                  new Accounts.Dependencies(
                      node.metadata(),
                      node.membership()::write,
                      node.membership().clock(),
                      config.httpConfig().requestTimeout(),
                      observers.accounts())));
      bans =
          add(
              "bans",
              Bans.open(
                  new Bans.Dependencies(
                      node.metadata(), node.membership()::write, node.membership().clock())));
      topicMetrics =
          add(
              "topic metrics",
              TopicMetrics.open(
                  new TopicMetrics.Dependencies(
                      node.metadata(), node.membership()::write, node.membership().clock())));
    } catch (RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  private <T extends AutoCloseable> T add(String name, T part) {
    return shutdownSequence.add(name, part);
  }

  /** The configuration of this node, with the values that were set for the cluster. */
  RuntimeSettings settings() {
    return settings;
  }

  /** The users, API keys and audit log of the API. */
  Accounts accounts() {
    return accounts;
  }

  /** The banned clients. */
  Bans bans() {
    return bans;
  }

  /** The topics whose messages are counted. */
  TopicMetrics topicMetrics() {
    return topicMetrics;
  }

  @Override
  public List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }
}
