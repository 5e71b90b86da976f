package dev.weir.config.template;

/** An expression or a tag that cannot be understood or evaluated. */
final class TemplateException extends Exception {
    private static final long serialVersionUID = 1;

    private final int offset;

    /**
     * An error at a place.
     *
     * @param offset where in the text it was found
     */
    TemplateException(int offset, String message) {
        super(message);
        this.offset = offset;
    }

    int offset() {
        return offset;
    }
}
