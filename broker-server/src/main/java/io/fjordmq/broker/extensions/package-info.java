/**
 * Libraries that most nodes do not need. {@link io.fjordmq.broker.extensions.ExtensionJars} finds
 * their jars next to those of the broker and creates class loaders for them.
 */
@NullMarked
package io.fjordmq.broker.extensions;

import org.jspecify.annotations.NullMarked;
