/**
 * The program's log: its levels, and its forms as text, JSON and entries of the journal. Look here when a line is
 * missing or looks wrong. Java code sets it up instead of an XML file, because reading XML takes a third of the time of
 * a short command.
 */
@NullMarked
package dev.weir.cli.logging;

import org.jspecify.annotations.NullMarked;
