/** Breaks rules of {@code ModuleRules} on purpose. */
@NullMarked
package io.fjordmq.cli.seeded;

import org.jspecify.annotations.NullMarked;
