/**
 * Compares this host with what a node needs. Each check class covers one area; {@link
 * io.fjordmq.cli.doctor.Doctor} runs all of them.
 */
@NullMarked
package io.fjordmq.cli.doctor;

import org.jspecify.annotations.NullMarked;
