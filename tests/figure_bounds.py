"""Whether everything that is written on a figure lies on its page."""

from matplotlib.figure import Figure


def assert_nothing_is_cut_off(figure: Figure) -> None:
    """Lays the figure out and looks where its legends and words came to lie."""
    figure.draw_without_rendering()
    page = figure.bbox
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    words = [text for axes in figure.axes for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label)]
    for artist in [*legends, *figure.texts, *words]:
        box = artist.get_window_extent()
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside or box.width == 0, artist
