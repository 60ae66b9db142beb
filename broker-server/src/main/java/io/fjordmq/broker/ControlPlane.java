package io.fjordmq.broker;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.bans.Bans;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.security.ScramPolicy;
import io.fjordmq.broker.settings.RuntimeSettings;
import io.fjordmq.broker.topicmetrics.TopicMetrics;
import io.fjordmq.broker.userdb.UserDatabase;
import io.fjordmq.broker.userdb.UserDirectory;
import io.fjordmq.cluster.metadata.MetadataClient;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Accounts, MQTT users, bans, changed settings and registered topics, which operators manage for
 * the whole cluster. The metadata group replicates them, and every node follows their changes.
 */
final class ControlPlane implements ShutdownSequence.Composite {
  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final RuntimeSettings settings;
  private final Accounts accounts;
  private final UserDatabase users;
  private final Bans bans;
  private final TopicMetrics topicMetrics;

  /**
   * What clients are authenticated with.
   *
   * @param users gets the users of the database
   * @param scram which SCRAM verifiers the database creates
   */
  record ClientSecurity(UserDirectory users, ScramPolicy scram) {}

  /** Starts following the metadata. Blocks until the settings in it are applied. */
  static ControlPlane open(
      LoadedConfig loaded, ClusterNode node, ClientSecurity security, Observers observers) {
    return new ControlPlane(loaded, node, security, observers);
  }

  private ControlPlane(
      LoadedConfig loaded, ClusterNode node, ClientSecurity security, Observers observers) {
    BrokerConfig config = loaded.config();
    MetadataClient metadata = new MetadataClient(node.metadata(), node.membership()::write);
    InstantSource clock = node.membership().clock();
    try {
      ThreadPoolExecutor settingsThread = settingsThread();
      add("settings thread", settingsThread::shutdown);
      settings =
          add(
              "settings",
              RuntimeSettings.open(
                  new RuntimeSettings.Dependencies(loaded, metadata, settingsThread)));
      accounts =
          add(
              "accounts",
              Accounts.open(
                  config.apiConfig(),
                  new Accounts.Dependencies(
                      metadata,
                      clock,
                      config.httpConfig().requestTimeout(),
                      observers.accounts())));
      users =
          add(
              "MQTT users",
              UserDatabase.open(
                  new UserDatabase.Dependencies(
                      metadata, security.users, accounts.passwords(), security.scram, clock)));
      bans = add("bans", Bans.open(new Bans.Dependencies(metadata, clock)));
      topicMetrics =
          add("topic metrics", TopicMetrics.open(new TopicMetrics.Dependencies(metadata, clock)));
    } catch (RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  /** A thread that ends while the settings do not change. */
  private static ThreadPoolExecutor settingsThread() {
    ThreadPoolExecutor thread =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new Thread(task, "settings"));
    thread.allowCoreThreadTimeOut(true);
    return thread;
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

  /** The users and rules of MQTT clients. */
  UserDatabase users() {
    return users;
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
