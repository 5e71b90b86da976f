package dev.weir.config.source;

/**
 * A place in configuration text.
 *
 * @param file the name of the file as the reader knows it
 * @param line the line, counted from 1
 * @param column the column in characters (UTF-16 units), counted from 1
 */
public record Origin(String file, int line, int column) {
    @Override
    public String toString() {
        return file + ":" + line + ":" + column;
    }
}
