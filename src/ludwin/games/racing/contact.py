def collide(s):
    pass
