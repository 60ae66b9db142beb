package io.fjordmq.cluster.forming;

import io.fjordmq.cluster.SeedSource;
import io.fjordmq.cluster.peer.PeerChannels;
import io.fjordmq.cluster.peer.PeerSettings;
import io.fjordmq.cluster.peer.WaitingPort;
import io.fjordmq.cluster.tls.ClusterTls;
import io.fjordmq.common.ThreadTimers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link ClusterFormation} on the cluster port of this process.
 *
 * @param seeds looked up again in every round
 * @param channels contacts other nodes
 * @param bind the address of the cluster port
 * @param tls null for plaintext
 * @param random generates ids
 */
public record FormationRun(
    FormationOptions options,
    SeedSource seeds,
    PeerChannels channels,
    PeerSettings settings,
    InetSocketAddress bind,
    @Nullable ClusterTls tls,
    RandomGenerator random) {

  /**
   * Waits until this node has found or founded a cluster. Blocks, perhaps forever.
   *
   * @param file the state of this node
   * @param progress receives a description for operators of what the node waits for
   * @throws IOException if the file or the port cannot be used; the message explains why
   */
  public FormationOutcome await(FormingFile file, Consumer<String> progress)
      throws IOException, InterruptedException {
    ExecutorService lookUps =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, "seed-lookup");
              thread.setDaemon(true);
              return thread;
            });
    try (ThreadTimers thread = new ThreadTimers("forming")) {
      ClusterFormation formation =
          new ClusterFormation(
              options,
              new ClusterFormation.Environment(
                  () -> CompletableFuture.supplyAsync(seeds::lookUp, lookUps),
                  channels,
                  channels,
                  file,
                  InstantSource.system(),
                  random),
              thread,
              progress);
      formation.begin();
      try (WaitingPort port =
          WaitingPort.open(
              bind, tls, settings, channels, FormationRequest.SERVICE, formation::handle)) {
        return formation.outcome().get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException(e);
    } finally {
      lookUps.shutdownNow();
    }
  }
}
